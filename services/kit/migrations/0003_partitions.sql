-- Creates the monthly partitions of a table of this schema, for the current month and the months ahead. A service calls
-- it with the rights of the owner, because its own role cannot create tables. The table is partitioned by its column
-- `timestamp` and has a default partition, which takes rows of a month without a partition.
--
-- `pg_temp` is last in the search path. Otherwise temporary tables of the caller would be found first and their code
-- would run with the rights of the owner.
do $migration$
begin
  execute format($create$
    create function %1$I.ensure_month_partitions(parent text, months_ahead integer) returns integer
    language plpgsql security definer set search_path = pg_catalog, %1$I, pg_temp as $body$
    declare
      created integer := 0;
      first date;
      partition text;
      starts text;
      ends text;
      columns text;
    begin
      if months_ahead is null or months_ahead not between 0 and 24 then
        raise exception 'months_ahead must be 0 to 24';
      end if;
      -- Generated columns cannot be inserted.
      select string_agg(quote_ident(a.attname), ', ' order by a.attnum) into columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relname = parent and c.relnamespace = %1$L::regnamespace and c.relkind = 'p'
        and a.attnum > 0 and not a.attisdropped and a.attgenerated = '';
      if columns is null then
        raise exception '%% is not a partitioned table of this schema', parent;
      end if;
      perform pg_advisory_xact_lock(hashtext('ensure_month_partitions ' || %1$L || '.' || parent));
      for month in 0..months_ahead loop
        first := (date_trunc('month', now() at time zone 'UTC') + make_interval(months => month))::date;
        partition := parent || '_' || to_char(first, 'YYYY_MM');
        starts := first::text || ' 00:00:00+00';
        ends := (first + interval '1 month')::date::text || ' 00:00:00+00';
        if to_regclass(format('%%I.%%I', %1$L, partition)) is null then
          execute format('create table %1$I.%%I (like %1$I.%%I including all)', partition, parent);
          -- A partition cannot be attached while the default partition has rows of its month.
          execute format(
            'with late as (delete from %1$I.%%I where timestamp >= %%L and timestamp < %%L returning %%s)
             insert into %1$I.%%I (%%s) select %%s from late',
            parent || '_default', starts, ends, columns, partition, columns, columns);
          execute format('revoke all on %1$I.%%I from public', partition);
          execute format(
            'alter table %1$I.%%I attach partition %1$I.%%I for values from (%%L) to (%%L)',
            parent, partition, starts, ends);
          created := created + 1;
        end if;
      end loop;
      return created;
    end $body$
  $create$, current_schema());
  execute format('revoke all on function %I.ensure_month_partitions(text, integer) from public', current_schema());
  execute format('grant execute on function %I.ensure_month_partitions(text, integer) to %I',
    current_schema(), 'marketplace_' || current_schema());
end $migration$;
