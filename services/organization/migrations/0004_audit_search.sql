-- Reading the audit log, however long it is and whatever is asked of it.

alter table organization.audit_log
  add column impersonated boolean not null generated always as (grant_id is not null) stored;

-- A kind of entry, or an actor's entries of a kind, is a stretch of one index in the order of the list.
create index audit_log_kind on organization.audit_log
  (org_id, procedure, success, impersonated, timestamp desc, id desc);
create index audit_log_actor_kind on organization.audit_log
  (org_id, actor_id, procedure, success, impersonated, timestamp desc, id desc);
create index audit_log_id on organization.audit_log (org_id, id);
drop index organization.audit_log_procedure;
drop index organization.audit_log_refused;

-- The kinds of entry that there are: by organization and month of UTC, for each actor and, as actor '', for anybody. Filters
-- are resolved against this small set, so that rare entries are found without looking through the others.
-- Not unique: whoever adds the first entry of a kind must not wait for another who does, and one row more does no harm.
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

-- With the rights of the owner: no service may write the set by hand. pg_temp stands last in every search_path here, or
-- a caller's temporary table would be found before the real one.
create function organization.note_audit_kinds() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into organization.audit_log_kinds (org_id, month, actor_id, procedure, success, impersonated)
  select seen.org_id, seen.month, seen.actor_id, seen.procedure, seen.success, seen.impersonated
  from (
    select distinct a.org_id, date_trunc('month', a.timestamp, 'UTC') as month, who.actor_id,
      a.procedure, a.success, a.impersonated
    from added a cross join lateral (values (''), (a.actor_id)) who (actor_id)
  ) seen
  where not exists (
    select from organization.audit_log_kinds k
    where k.org_id = seen.org_id and k.month = seen.month and k.actor_id = seen.actor_id
      and k.procedure = seen.procedure and k.success = seen.success and k.impersonated = seen.impersonated);
  return null;
end $$;
revoke all on function organization.note_audit_kinds() from public;

create trigger audit_log_kinds after insert on organization.audit_log
  referencing new table as added for each statement execute function organization.note_audit_kinds();

insert into organization.audit_log_kinds (org_id, month, actor_id, procedure, success, impersonated)
select distinct a.org_id, date_trunc('month', a.timestamp, 'UTC'), who.actor_id, a.procedure, a.success, a.impersonated
from organization.audit_log a cross join lateral (values (''), (a.actor_id)) who (actor_id);

create or replace function organization.ensure_audit_partitions(months_ahead integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  made integer := 0;
  first date;
  partition text;
begin
  if months_ahead is null or months_ahead not between 0 and 24 then
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
        'with late as (
           delete from organization.audit_log_default where timestamp >= %L and timestamp < %L
           returning id, org_id, timestamp, procedure, success, error, ip_address, user_agent, actor_id, grant_id, request)
         insert into organization.%I
           (id, org_id, timestamp, procedure, success, error, ip_address, user_agent, actor_id, grant_id, request)
         select id, org_id, timestamp, procedure, success, error, ip_address, user_agent, actor_id, grant_id, request
         from late',
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

create or replace function organization.drop_audit_partitions(keep_months integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  dropped integer := 0;
  partition text;
  oldest timestamp;
begin
  if keep_months is null or keep_months < 1 then
    raise exception 'keep_months must be at least 1';
  end if;
  oldest := date_trunc('month', (now() at time zone 'UTC') - make_interval(months => keep_months));
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
