-- Impersonation grants. They are never deleted, because the audit log refers to them.
create table identity.impersonation_grants (
  id text collate "C" primary key,
  org_id text not null,
  user_id text not null,
  acting_email text not null,
  reason text not null,
  -- Null: an act of the operator's command line.
  granted_by text,
  -- Version of the grantor's password when the grant was created. A reset of the grantor ends it.
  grantor_password_version integer,
  -- Hash of the single-use token of the link.
  token_hash bytea not null unique,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  redeemed_at timestamptz(3),
  redeemed_ip text,
  revoked_at timestamptz(3),
  check ((granted_by is null) = (grantor_password_version is null))
);
create index impersonation_grants_listed on identity.impersonation_grants (org_id, id desc);
-- Grants that may have a session are queried after each change of permissions.
create index impersonation_grants_live on identity.impersonation_grants (org_id, expires_at) where revoked_at is null;

create view identity.impersonation_directory as
select id as grant_id, org_id, acting_email, reason, granted_by, expires_at, redeemed_at, redeemed_ip, revoked_at
from identity.impersonation_grants;

grant select, insert, update on identity.impersonation_grants to marketplace_identity;
grant select on identity.impersonation_directory to marketplace_organization;
