-- Copies what webhooks with a Postgres of their own can have logged, and nothing else: an entry of a command of theirs,
-- of the last year. It arrives after its transaction, so it has its own time; the same entry again changes nothing. The
-- readers of the log cannot show a time such as infinity. An entry may be a minute ahead, because clocks differ; one that
-- is further ahead is copied when its time has come. The migrator grants the function only to webhooks with a Postgres of
-- their own. Elsewhere no service can insert an entry of the past.
create function organization.copy_audit_entry(entry jsonb) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if coalesce(entry ->> 'procedure', '') !~ '^webhook(Delivery|Endpoint)\.[a-zA-Z]{1,40}$' then
    raise exception 'the procedure % is not one of webhooks', left(entry ->> 'procedure', 100);
  end if;
  if coalesce(entry ->> 'id', '') !~ '^audit_[a-zA-Z0-9_-]{1,60}$' then
    raise exception '% is not the id of an audit entry', left(entry ->> 'id', 100);
  end if;
  if coalesce((entry ->> 'timestamp')::timestamptz not between now() - interval '1 year' and now() + interval '1 minute',
    true) then
    raise exception 'an audit entry cannot be of %', left(entry ->> 'timestamp', 100);
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
