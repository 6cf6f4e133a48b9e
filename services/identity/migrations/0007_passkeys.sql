-- Passkeys of people (WebAuthn). The key is public, so it is stored as it is.
create table identity.passkeys (
  id text collate "C" primary key,
  org_id text not null,
  user_id text not null,
  -- The host for which the passkey was made. After a change of the host, browsers offer it no longer.
  rp_id text not null,
  credential_id text collate "C" not null,
  public_key bytea not null,
  sign_count bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  unique (rp_id, credential_id)
);
create index passkeys_user on identity.passkeys (user_id, id desc);

-- What an authenticator has to sign. A challenge works once, for one purpose, in one browser or session.
create table identity.passkey_challenges (
  challenge_hash bytea primary key,
  purpose text not null check (purpose in ('SIGN_IN', 'SECOND_FACTOR', 'FIRST_PASSKEY', 'CONFIRMATION', 'REGISTRATION')),
  -- Hash of the cookie of a browser that signs in.
  browser_hash bytea,
  -- The session of a person who is signed in.
  session_id text,
  -- The person, and the version of the sessions when the challenge was made; null for a sign-in by passkey alone.
  user_id text,
  session_version integer,
  network text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  check ((browser_hash is null) <> (session_id is null)),
  check ((user_id is null) = (purpose = 'SIGN_IN')),
  check ((user_id is null) = (session_version is null))
);
create index passkey_challenges_network on identity.passkey_challenges (network);
create index passkey_challenges_session on identity.passkey_challenges (session_id) where session_id is not null;
create index passkey_challenges_user on identity.passkey_challenges (user_id) where user_id is not null;
create index passkey_challenges_expired on identity.passkey_challenges (expires_at);

grant select, insert, update, delete on identity.passkeys, identity.passkey_challenges to marketplace_identity;

-- Who has a passkey for which host.
create view identity.passkey_directory as
select id as passkey_id, user_id, org_id, rp_id from identity.passkeys;
grant select on identity.passkey_directory to marketplace_organization;

-- Removes the passkeys of a user in the transaction of a reset. It runs with the rights of the owner, because the
-- service of users writes no table of another schema.
create function identity.remove_passkeys(of_org text, of_user text) returns bigint
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$
  with challenges as (delete from identity.passkey_challenges where user_id = of_user),
    removed as (delete from identity.passkeys where org_id = of_org and user_id = of_user returning id)
  select count(*) from removed
$$;
revoke execute on function identity.remove_passkeys(text, text) from public;
grant execute on function identity.remove_passkeys(text, text) to marketplace_organization;
