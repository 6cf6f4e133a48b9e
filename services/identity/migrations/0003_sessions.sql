create table identity.credentials (
  user_id text collate "C" primary key,
  password_hash text not null,
  -- The user's version when the password was set; a reset increments that of the user.
  password_version integer not null
);

create table identity.sessions (
  id text collate "C" primary key,
  user_id text not null,
  org_id text not null,
  -- The user's version when the session began; a reset or deactivation increments that of the user.
  session_version integer not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null,
  -- Absolute end of the session, whatever its refreshes.
  expires_at timestamptz(3) not null,
  ended_at timestamptz(3),
  ip_address text,
  user_agent text,
  -- An impersonation session ends with its grant.
  grant_id text references identity.impersonation_grants (id)
);
create index sessions_user on identity.sessions (user_id, id desc) where ended_at is null;
-- Includes ended sessions, which an anonymisation changes too.
create index sessions_of_user on identity.sessions (user_id);
create index sessions_grant on identity.sessions (grant_id) where grant_id is not null;
create index sessions_ended on identity.sessions (ended_at) where ended_at is not null;
create index sessions_expired on identity.sessions (expires_at);

-- Refresh tokens of 256 random bits, stored as SHA-256.
create table identity.refresh_tokens (
  hash bytea primary key,
  session_id text not null references identity.sessions (id) on delete cascade,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);
create index refresh_tokens_session on identity.refresh_tokens (session_id);

create view identity.ended_sessions as
select id as session_id, ended_at from identity.sessions where ended_at is not null;

-- Failure counts by account and address, and by address. The key is a hash, so that guesses are not stored.
create table identity.throttles (
  key bytea primary key,
  failures integer not null,
  window_started_at timestamptz(3) not null,
  blocked_until timestamptz(3)
);
create index throttles_age on identity.throttles (window_started_at);

-- Refused sign-ins of unknown accounts. The insert takes as long as the audit entry of a known account.
create table identity.sign_in_failures (
  id text collate "C" primary key,
  failed_at timestamptz(3) not null,
  ip_address text,
  user_agent text
);
create index sign_in_failures_age on identity.sign_in_failures (failed_at);

create table identity.redeemed_activations (
  token_hash bytea primary key,
  redeemed_at timestamptz(3) not null
);
-- The cleanup worker queries expired rows each minute.
create index redeemed_activations_age on identity.redeemed_activations (redeemed_at);

grant select, insert, update, delete on identity.credentials, identity.sessions, identity.refresh_tokens,
  identity.throttles, identity.sign_in_failures, identity.redeemed_activations to marketplace_identity;
grant select on identity.ended_sessions to
  marketplace_identity, marketplace_catalog, marketplace_sourcing, marketplace_organization, marketplace_webhooks;
