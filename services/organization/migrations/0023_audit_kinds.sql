-- Most entries are of a kind that their actor has in this month, and then so has the organization. One look at an index
-- shows it.
create or replace function organization.add_audit_kinds() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (
    select from added a
    where not exists (
      select from organization.audit_log_kinds k
      where k.org_id = a.org_id and k.month = date_trunc('month', a.timestamp, 'UTC') and k.actor_id = a.actor_id
        and k.procedure = a.procedure and k.success = a.success and k.impersonated = a.impersonated)
  ) then
    return null;
  end if;
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
