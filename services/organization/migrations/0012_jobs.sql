-- Mails are sent as jobs, which have their attempts.
insert into organization.jobs (kind, id, tenant_id, data, attempts, created_at, due_at, expires_at)
select 'mail', id, org_id, jsonb_build_object('kind', kind), attempts, created_at, next_attempt_at, expires_at
from organization.mails where state = 'PENDING';
alter table organization.mails
  drop column attempts, drop column next_attempt_at, drop column lease_until, drop column lease_token;
