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
  impersonated boolean not null generated always as (grant_id is not null) stored,
  primary key (timestamp, id),
  check (success = (error is null))
) partition by range (timestamp);

create index audit_log_newest on organization.audit_log (org_id, timestamp desc, id desc);
create index audit_log_actor on organization.audit_log (org_id, actor_id, timestamp desc, id desc);
-- The entries of one kind, and of one actor and kind, are adjacent and in the order of the list.
create index audit_log_kind on organization.audit_log
  (org_id, procedure, success, impersonated, timestamp desc, id desc);
create index audit_log_actor_kind on organization.audit_log
  (org_id, actor_id, procedure, success, impersonated, timestamp desc, id desc);
create index audit_log_id on organization.audit_log (org_id, id);

-- Takes entries of a month without a partition, so that no insert fails.
create table organization.audit_log_default partition of organization.audit_log default;

-- The log is append-only for every service: each may insert, one may select. The database sets `timestamp`, so no
-- service can insert an entry of the past.
revoke all on organization.audit_log, organization.audit_log_default from public;
grant insert (id, org_id, procedure, success, error, ip_address, user_agent, actor_id, grant_id, request)
  on organization.audit_log to
  marketplace_identity, marketplace_catalog, marketplace_sourcing, marketplace_organization, marketplace_webhooks;
grant select on organization.audit_log to marketplace_organization;

-- The kinds of entries that exist, by organization and month (UTC), for each actor and, as actor '', for all actors.
-- Filters are resolved against this small table, so that rare entries are found without a scan of the others. There is
-- no unique constraint: two transactions that add the first entry of a kind would wait for each other, and a duplicate
-- is harmless.
create table organization.audit_log_kinds (
  org_id text not null,
  month timestamptz(3) not null,
  actor_id text not null,
  procedure text not null,
  success boolean not null,
  impersonated boolean not null
);
create index audit_log_kinds_actor on organization.audit_log_kinds
  (org_id, actor_id, month, procedure, success, impersonated);
create index audit_log_kinds_kind on organization.audit_log_kinds
  (org_id, month, procedure, success, impersonated, actor_id);
grant select on organization.audit_log_kinds to marketplace_organization;

-- Runs with the rights of the owner, because no service may write the table. `pg_temp` is last in the search path, so
-- that temporary tables of the caller are not found first.
create function organization.add_audit_kinds() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into organization.audit_log_kinds (org_id, month, actor_id, procedure, success, impersonated)
  select kind.org_id, kind.month, kind.actor_id, kind.procedure, kind.success, kind.impersonated
  from (
    select distinct a.org_id, date_trunc('month', a.timestamp, 'UTC') as month, actor.id as actor_id,
      a.procedure, a.success, a.impersonated
    from added a cross join lateral (values (''), (a.actor_id)) actor (id)
  ) kind
  where not exists (
    select from organization.audit_log_kinds k
    where k.org_id = kind.org_id and k.month = kind.month and k.actor_id = kind.actor_id
      and k.procedure = kind.procedure and k.success = kind.success and k.impersonated = kind.impersonated);
  return null;
end $$;
revoke all on function organization.add_audit_kinds() from public;

create trigger audit_log_kinds after insert on organization.audit_log
  referencing new table as added for each statement execute function organization.add_audit_kinds();

-- Full months to keep; null: all. The migrator writes it, and no service may, so that no service can shorten the log.
create table organization.audit_retention (
  only_row boolean primary key default true check (only_row),
  keep_months integer check (keep_months >= 1)
);
insert into organization.audit_retention default values;

-- Drops the partitions of months that ended before the retention period. The service calls it with the rights of the
-- owner.
create function organization.drop_audit_partitions() returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  dropped integer := 0;
  partition text;
  oldest timestamp;
begin
  select date_trunc('month', (now() at time zone 'UTC') - make_interval(months => keep_months)) into oldest
  from organization.audit_retention;
  if oldest is null then
    return 0;
  end if;
  for partition in
    select child.relname from pg_catalog.pg_inherits
    join pg_catalog.pg_class child on child.oid = inhrelid
    where inhparent = 'organization.audit_log'::regclass and child.relname ~ '^audit_log_\d{4}_\d{2}$'
      and child.relname < 'audit_log_' || to_char(oldest, 'YYYY_MM')
  loop
    execute format('drop table organization.%I', partition);
    dropped := dropped + 1;
  end loop;
  delete from organization.audit_log_default where timestamp < oldest at time zone 'UTC';
  delete from organization.audit_log_kinds where month < oldest at time zone 'UTC';
  return dropped;
end $$;
revoke all on function organization.drop_audit_partitions() from public;
grant execute on function organization.drop_audit_partitions() to marketplace_organization;

select ensure_month_partitions('audit_log', 3);
