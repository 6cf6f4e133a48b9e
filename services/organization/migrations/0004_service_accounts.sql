-- The id of a key is the client id. Keys are deleted some time after their end.
create table organization.service_account_keys (
  id text collate "C" primary key,
  org_id text collate "C" not null,
  user_id text collate "C" not null,
  description text,
  -- SHA-256: a secret has 256 random bits, so a slow hash would add nothing.
  secret_hash bytea not null,
  -- The beginning of the secret, by which people tell keys apart.
  secret_prefix text not null,
  -- Networks that may obtain tokens, in canonical form; none: every address.
  networks text[] not null,
  created_by text collate "C" not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  foreign key (org_id, user_id) references organization.users (org_id, id)
);
create index service_account_keys_listed on organization.service_account_keys (user_id, id desc);
-- Each service loads the keys that were revoked lately. The cleanup worker deletes old ones.
create index service_account_keys_revoked on organization.service_account_keys (revoked_at)
  where revoked_at is not null;
create index service_account_keys_expired on organization.service_account_keys (expires_at)
  where expires_at is not null;

grant select, insert, update, delete on organization.service_account_keys to marketplace_organization;

-- What identity needs to authenticate a client.
create view organization.client_directory as
select
  k.id as client_id, k.secret_hash, k.networks, k.expires_at, k.revoked_at,
  u.id as user_id, u.org_id, u.active, u.session_version
from organization.service_account_keys k
join organization.users u on u.id = k.user_id;

create view organization.revoked_client_keys as
select id as key_id, revoked_at from organization.service_account_keys where revoked_at is not null;

grant select on organization.client_directory to marketplace_identity;
