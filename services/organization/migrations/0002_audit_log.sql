create table organization.audit_log (
  id text collate "C" not null,
  org_id text not null,
  timestamp timestamptz(3) not null default now(),
  procedure text not null,
  success boolean not null,
  error text,
  ip_address text,
  user_agent text,
  actor_id text not null,
  grant_id text,
  request jsonb,
  primary key (timestamp, id),
  check (success = (error is null))
) partition by range (timestamp);

create index audit_log_newest on organization.audit_log (org_id, timestamp desc, id desc);
create index audit_log_actor on organization.audit_log (org_id, actor_id, timestamp desc, id desc);
create index audit_log_procedure on organization.audit_log (org_id, procedure, timestamp desc, id desc);
create index audit_log_refused on organization.audit_log (org_id, timestamp desc, id desc) where not success;

-- Catches what no month was made for: an entry must never fail for want of a partition.
create table organization.audit_log_default partition of organization.audit_log default;

-- Append-only against its own service too: INSERT for every service, SELECT for one, nothing more for any.
revoke all on organization.audit_log, organization.audit_log_default from public;
grant usage on schema organization to
  marketplace_identity, marketplace_catalog, marketplace_sourcing, marketplace_webhooks;
grant insert on organization.audit_log to
  marketplace_identity, marketplace_catalog, marketplace_sourcing, marketplace_organization, marketplace_webhooks;
grant select on organization.audit_log to marketplace_organization;

-- Makes the partitions of this month and of the months ahead. The service calls it; only the owner could do it by hand.
create function organization.ensure_audit_partitions(months_ahead integer) returns integer
language plpgsql security definer set search_path = pg_catalog, organization as $$
declare
  made integer := 0;
  first date;
  partition text;
begin
  if months_ahead not between 0 and 24 then
    raise exception 'months_ahead must be 0 to 24';
  end if;
  perform pg_advisory_xact_lock(hashtext('organization.ensure_audit_partitions'));
  for month in 0..months_ahead loop
    first := (date_trunc('month', now() at time zone 'UTC') + make_interval(months => month))::date;
    partition := 'audit_log_' || to_char(first, 'YYYY_MM');
    if to_regclass('organization.' || partition) is null then
      execute format('create table organization.%I (like organization.audit_log including all)', partition);
      -- What came while this month had no partition waits in the default one, and would forbid attaching.
      execute format(
        'with late as (delete from organization.audit_log_default where timestamp >= %L and timestamp < %L returning *)
         insert into organization.%I table late',
        first::text || ' 00:00:00+00', (first + interval '1 month')::date::text || ' 00:00:00+00', partition);
      execute format('revoke all on organization.%I from public', partition);
      execute format(
        'alter table organization.audit_log attach partition organization.%I for values from (%L) to (%L)',
        partition, first::text || ' 00:00:00+00', (first + interval '1 month')::date::text || ' 00:00:00+00');
      made := made + 1;
    end if;
  end loop;
  return made;
end $$;

-- Drops the months that ended before the retention began. Nothing younger can be named.
create function organization.drop_audit_partitions(keep_months integer) returns integer
language plpgsql security definer set search_path = pg_catalog, organization as $$
declare
  dropped integer := 0;
  partition text;
  oldest text := to_char((now() at time zone 'UTC') - make_interval(months => keep_months), 'YYYY_MM');
begin
  if keep_months < 1 then
    raise exception 'keep_months must be at least 1';
  end if;
  for partition in
    select child.relname from pg_inherits
    join pg_class child on child.oid = inhrelid
    where inhparent = 'organization.audit_log'::regclass and child.relname ~ '^audit_log_\d{4}_\d{2}$'
      and child.relname < 'audit_log_' || oldest
  loop
    execute format('drop table organization.%I', partition);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;

revoke all on function organization.ensure_audit_partitions(integer), organization.drop_audit_partitions(integer) from public;
grant execute on function organization.ensure_audit_partitions(integer), organization.drop_audit_partitions(integer)
  to marketplace_organization;

select organization.ensure_audit_partitions(3);
