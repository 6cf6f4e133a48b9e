-- Copies an entry of webhooks that have a Postgres of their own. It arrives after its transaction, so it has its own
-- time; the same entry again changes nothing. The migrator grants the function only to webhooks with a Postgres of
-- their own. Elsewhere no service can insert an entry of the past.
create function organization.copy_audit_entry(entry jsonb) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if entry ->> 'procedure' not like 'webhook%' then
    raise exception 'the procedure % is not one of webhooks', entry ->> 'procedure';
  end if;
  insert into organization.audit_log
    (id, org_id, timestamp, procedure, success, error, ip_address, user_agent, actor_id, grant_id, request)
  select id, org_id, timestamp, procedure, success, error, ip_address, user_agent, actor_id, grant_id, request
  from jsonb_to_record(entry) as row (
    id text, org_id text, timestamp timestamptz, procedure text, success boolean, error text, ip_address text,
    user_agent text, actor_id text, grant_id text, request jsonb)
  on conflict do nothing;
end $$;
revoke all on function organization.copy_audit_entry(jsonb) from public;
