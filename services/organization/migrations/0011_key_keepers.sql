-- The users who keep the secret: the creator, and for a key that a service account created, the keepers of the key that
-- the account used, too. Null: the creator. They replace `keeper_id`, which is no longer read.
alter table organization.service_account_keys add column keeper_ids text[] collate "C";

-- Which key an account used is not known for earlier ones, so each that was live then is taken.
with recursive keeper (key_id, user_id, at) as (
  select id, coalesce(keeper_id, created_by), created_at from organization.service_account_keys
  union
  select keeper.key_id, coalesce(used.keeper_id, used.created_by), used.created_at
  from keeper join organization.service_account_keys used on used.user_id = keeper.user_id
    and used.created_at < keeper.at and (used.revoked_at is null or used.revoked_at >= keeper.at)
)
update organization.service_account_keys k
set keeper_ids = array(select distinct user_id from keeper where keeper.key_id = k.id order by user_id);

-- The lineage of a person whom a service account invited counts for what the person creates.
update organization.users u set lineage = jsonb_build_object(made.actor_id, made.timestamp)
from organization.audit_log made, organization.users maker
where u.kind = 'PERSON' and made.org_id = u.org_id and made.procedure = 'user.create' and made.success
  and made.request ->> 'userId' = u.id and maker.id = made.actor_id and maker.kind = 'SERVICE';
