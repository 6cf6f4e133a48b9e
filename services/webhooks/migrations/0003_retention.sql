-- The clean-up.
create index deliveries_by_age on webhooks.deliveries (event_time);

-- Drops the partitions of events and attempts that contain nothing younger than 30 days. The service calls it with the
-- rights of the owner.
create function webhooks.drop_old_partitions() returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  dropped integer := 0;
  partition text;
  oldest timestamptz := now() - interval '30 days';
begin
  for partition in
    select child.relname from pg_catalog.pg_inherits
    join pg_catalog.pg_class child on child.oid = inhrelid
    where inhparent in ('webhooks.events'::regclass, 'webhooks.attempts'::regclass)
      and child.relname ~ '_\d{4}_\d{2}$'
      and right(child.relname, 7) < to_char(oldest at time zone 'UTC', 'YYYY_MM')
  loop
    execute format('drop table webhooks.%I', partition);
    dropped := dropped + 1;
  end loop;
  delete from webhooks.events_default where timestamp < oldest;
  delete from webhooks.attempts_default where timestamp < oldest;
  return dropped;
end $$;
revoke all on function webhooks.drop_old_partitions() from public;
grant execute on function webhooks.drop_old_partitions() to marketplace_webhooks;
