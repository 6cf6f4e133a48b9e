-- The service accounts that led to a record, each with the time of its last part in it: who created the record with
-- which key, and who created that key or account. The revocation of a key ends the keys that it led to.
alter table organization.users add column lineage jsonb not null default '{}';
alter table organization.service_account_keys add column lineage jsonb not null default '{}',
  -- The user who keeps the secret: the creator, or for a key that its own account created, the keeper of the key that
  -- the account used. Null: the creator.
  add column keeper_id text collate "C",
  -- The time of the first key of a chain in which each was created with the one before. Null: the key's own.
  add column origin_at timestamptz(3);

update organization.users u set lineage = jsonb_build_object(made.actor_id, made.timestamp)
from organization.audit_log made, organization.users maker
where u.kind = 'SERVICE' and made.org_id = u.org_id and made.procedure = 'serviceAccount.create' and made.success
  and made.request ->> 'serviceAccountId' = u.id and maker.id = made.actor_id and maker.kind = 'SERVICE';

-- Which key an account used is not known for earlier ones, so its creation begins their chain.
update organization.service_account_keys k set
  lineage = jsonb_build_object(k.created_by, k.created_at), origin_at = maker.created_at,
  keeper_id = case when k.created_by = k.user_id then coalesce((
    select before.created_by from organization.service_account_keys before
    where before.user_id = k.user_id and before.created_by <> k.user_id and before.created_at <= k.created_at
    order by before.created_at desc limit 1), k.created_by) end
from organization.users maker
where maker.id = k.created_by and maker.kind = 'SERVICE';
