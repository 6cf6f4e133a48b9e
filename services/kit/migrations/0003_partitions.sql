-- Makes the monthly partitions of one of this schema's tables, for this month and the months ahead. The service calls it,
-- which may create nothing itself; a table is partitioned by its column `timestamp` and has a default partition, so that
-- no row fails for want of a month.
do $migration$
begin
  execute format($create$
    create function %1$I.ensure_month_partitions(parent text, months_ahead integer) returns integer
    language plpgsql security definer set search_path = pg_catalog, %1$I as $body$
    declare
      made integer := 0;
      first date;
      partition text;
      bounds text[];
    begin
      if months_ahead not between 0 and 24 then
        raise exception 'months_ahead must be 0 to 24';
      end if;
      perform from pg_class where relname = parent and relnamespace = %1$L::regnamespace and relkind = 'p';
      if not found then
        raise exception '%% is no partitioned table of this schema', parent;
      end if;
      perform pg_advisory_xact_lock(hashtext('ensure_month_partitions ' || %1$L || '.' || parent));
      for month in 0..months_ahead loop
        first := (date_trunc('month', now() at time zone 'UTC') + make_interval(months => month))::date;
        partition := parent || '_' || to_char(first, 'YYYY_MM');
        bounds := array[first::text, (first + interval '1 month')::date::text] || array[' 00:00:00+00'];
        if to_regclass(format('%%I.%%I', %1$L, partition)) is null then
          execute format('create table %1$I.%%I (like %1$I.%%I including all)', partition, parent);
          -- What came while this month had no partition waits in the default one, and would forbid attaching.
          execute format(
            'with late as (delete from %1$I.%%I where timestamp >= %%L and timestamp < %%L returning *)
             insert into %1$I.%%I table late',
            parent || '_default', bounds[1] || bounds[3], bounds[2] || bounds[3], partition);
          execute format('revoke all on %1$I.%%I from public', partition);
          execute format(
            'alter table %1$I.%%I attach partition %1$I.%%I for values from (%%L) to (%%L)',
            parent, partition, bounds[1] || bounds[3], bounds[2] || bounds[3]);
          made := made + 1;
        end if;
      end loop;
      return made;
    end $body$
  $create$, current_schema());
  execute format('revoke all on function %I.ensure_month_partitions(text, integer) from public', current_schema());
  execute format('grant execute on function %I.ensure_month_partitions(text, integer) to %I',
    current_schema(), 'marketplace_' || current_schema());
end $migration$;
