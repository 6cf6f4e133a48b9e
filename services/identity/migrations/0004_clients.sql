-- The last use of each key of a service account. A row is written at most once a minute.
create table identity.key_uses (
  key_id text collate "C" primary key,
  last_used_at timestamptz(3) not null,
  ip_address text
);
create index key_uses_age on identity.key_uses (last_used_at);

-- Access tokens of service accounts that were revoked one by one. Those of users end with their session.
create table identity.revoked_tokens (
  token_id text collate "C" primary key,
  revoked_at timestamptz(3) not null
);
create index revoked_tokens_age on identity.revoked_tokens (revoked_at);

-- The sessions, keys and tokens whose end voids access tokens.
create or replace view identity.ended_sessions as
select id as session_id, ended_at from identity.sessions where ended_at is not null
union all
select key_id, revoked_at from organization.revoked_client_keys
union all
select token_id, revoked_at from identity.revoked_tokens;

create view identity.key_use_directory as
select key_id, last_used_at, ip_address from identity.key_uses;

grant select, insert, update, delete on identity.key_uses, identity.revoked_tokens to marketplace_identity;
grant select on identity.key_use_directory to marketplace_organization;
