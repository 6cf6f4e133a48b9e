-- OpenID Connect providers by which people of an organization sign in.
create table organization.identity_providers (
  id text collate "C" primary key,
  org_id text collate "C" not null references organization.organizations (id),
  name text not null,
  issuer text not null,
  client_id text not null,
  -- Encrypted with ENCRYPTION_KEYS.
  client_secret text not null,
  default_role_ids text[] not null,
  groups_claim text,
  -- Role ids by the name of a group.
  group_roles jsonb,
  enforce boolean not null default false,
  -- The administrator whose password works although the provider is enforced.
  break_glass_user_id text collate "C",
  -- Grows with each change of issuer, client id or secret, which ends what began before.
  version integer not null default 1,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- The last test of this version.
  tested_at timestamptz(3),
  test_email text,
  test_problem text,
  unique (org_id, id),
  check ((groups_claim is null) = (group_roles is null)),
  check (not enforce or break_glass_user_id is not null),
  foreign key (org_id, break_glass_user_id) references organization.users (org_id, id)
);
create index identity_providers_listed on organization.identity_providers (org_id, id desc);
create index identity_providers_break_glass on organization.identity_providers (org_id, break_glass_user_id)
  where break_glass_user_id is not null;

create table organization.identity_domains (
  org_id text collate "C" not null,
  provider_id text collate "C" not null,
  -- In lower case, and in Unicode as in addresses.
  domain text collate "C" not null,
  -- What the DNS record of the domain contains.
  proof text not null,
  proved_at timestamptz(3),
  -- Set when the record was gone. The domain then signs in no one, and may be proved by another organization.
  lost_at timestamptz(3),
  checked_at timestamptz(3),
  -- The last check with an answer of the DNS.
  answered_at timestamptz(3),
  primary key (org_id, domain),
  foreign key (org_id, provider_id) references organization.identity_providers (org_id, id) on delete cascade,
  check (lost_at is null or proved_at is not null)
);
create index identity_domains_provider on organization.identity_domains (provider_id);
-- A domain belongs to the organization that has proved it. Other claims reserve nothing.
create unique index identity_domains_proved on organization.identity_domains (domain)
  where proved_at is not null and lost_at is null;
create index identity_domains_due on organization.identity_domains (checked_at)
  where proved_at is not null and lost_at is null;

-- The accounts of a provider and the users whom they sign in.
create table organization.identity_links (
  provider_id text collate "C" not null references organization.identity_providers (id) on delete cascade,
  subject text collate "C" not null,
  org_id text collate "C" not null,
  user_id text collate "C" not null,
  created_at timestamptz(3) not null,
  primary key (provider_id, subject),
  unique (provider_id, user_id),
  foreign key (org_id, user_id) references organization.users (org_id, id)
);
create index identity_links_user on organization.identity_links (org_id, user_id);

-- Sign-ins that are at the provider.
create table organization.sso_flows (
  state_hash bytea primary key,
  org_id text collate "C" not null,
  provider_id text collate "C" not null,
  version integer not null,
  -- Hash of the cookie of the browser that began.
  browser_hash bytea not null,
  nonce text not null,
  code_verifier text not null,
  -- The administrator who tests the provider; null: a sign-in.
  tested_by text collate "C",
  network text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  foreign key (org_id, provider_id) references organization.identity_providers (org_id, id) on delete cascade
);
create index sso_flows_network on organization.sso_flows (network);
create index sso_flows_provider on organization.sso_flows (org_id, provider_id);
create index sso_flows_expired on organization.sso_flows (expires_at);

-- Codes that the page exchanges for tokens.
create table organization.sso_codes (
  code_hash bytea primary key,
  org_id text collate "C" not null,
  provider_id text collate "C" not null,
  user_id text collate "C" not null,
  session_version integer not null,
  browser_hash bytea not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  foreign key (org_id, provider_id) references organization.identity_providers (org_id, id) on delete cascade,
  foreign key (org_id, user_id) references organization.users (org_id, id)
);
create index sso_codes_provider on organization.sso_codes (org_id, provider_id);
create index sso_codes_user on organization.sso_codes (org_id, user_id);
create index sso_codes_expired on organization.sso_codes (expires_at);

grant select, insert, update, delete on organization.identity_providers, organization.identity_domains,
  organization.identity_links, organization.sso_flows, organization.sso_codes to marketplace_organization;

-- What identity needs to exchange a code.
create view organization.sso_code_directory as
select c.code_hash, c.org_id, c.provider_id, c.user_id, c.session_version, c.browser_hash, c.expires_at, u.email
from organization.sso_codes c
join organization.users u on u.id = c.user_id;

-- Whether people of a domain must use the provider. A domain whose proof was lost still requires it: an outage or a
-- theft of its DNS must not bring passwords back.
create view organization.enforced_users as
select u.id as user_id
from organization.users u
join organization.identity_domains d
  on d.org_id = u.org_id and d.domain = split_part(u.email_key, '@', -1) and d.proved_at is not null
join organization.identity_providers p on p.id = d.provider_id
where p.enforce and p.break_glass_user_id <> u.id and u.kind = 'PERSON';

create or replace view organization.sign_in_directory as
select
  id as user_id, org_id, email_key as email, active, password_version, session_version,
  exists (select from organization.enforced_users e where e.user_id = u.id) as enforced
from organization.users u
where kind = 'PERSON' and anonymised_at is null;

grant select on organization.sso_code_directory to marketplace_identity;
grant select on organization.enforced_users to marketplace_organization;
