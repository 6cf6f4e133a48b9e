-- An id and a reference to it have the same collation: otherwise no index serves their comparison.

create table organization.organizations (
  id text collate "C" primary key,
  name text not null,
  roles text[] not null,
  region_code text not null,
  website text,
  engagement text not null check (engagement in ('DIRECT', 'DISTRIBUTOR')),
  distributor_org_id text collate "C" references organization.organizations (id),
  operator boolean not null default false,
  created_at timestamptz(3) not null,
  check ((engagement = 'DISTRIBUTOR') = (distributor_org_id is not null))
);
-- One organization operates the platform.
create unique index organizations_operator on organization.organizations (operator) where operator;
create index organizations_distributor on organization.organizations (distributor_org_id)
  where distributor_org_id is not null;

create table organization.users (
  id text collate "C" primary key,
  org_id text collate "C" not null references organization.organizations (id),
  -- A service account is a user with keys instead of a password. Its name is in `given_name`.
  kind text not null default 'PERSON' check (kind in ('PERSON', 'SERVICE')),
  email text not null,
  given_name text not null,
  family_name text not null,
  phone text,
  -- The description of a service account.
  description text,
  active boolean not null default true,
  -- A reset increments it. Passwords and links of an earlier version are void. It is a number, because times of
  -- replicas whose clocks differ cannot be compared.
  password_version integer not null default 1,
  -- A reset or a deactivation increments it. Sessions and tokens of an earlier version are void, also when the user is
  -- activated again.
  session_version integer not null default 1,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- Set once. An anonymised user has no personal data any more, only an id and the word `erased`.
  anonymised_at timestamptz(3),
  -- Addresses are compared and ordered in lower case, and `q` searches both keys: `like` is much cheaper than `ilike`.
  email_key text collate "C" not null generated always as (lower(email)) stored,
  name_key text collate "C" not null generated always as (lower(given_name || ' ' || family_name)) stored,
  -- The directory view as JSON, built on write. Fields for administrators are added on read.
  document text not null,
  unique (org_id, id)
);

-- An address belongs to one user of the whole platform, in any case. Anonymised users have no address.
create unique index users_email on organization.users (email_key) where anonymised_at is null;
-- The service accounts of an organization, newest first.
create index users_service_accounts on organization.users (org_id, id desc)
  where kind = 'SERVICE' and anonymised_at is null;
-- Serves every list without reading the table. A search scans the organization's part of it: 0.1 ms for a hundred
-- users, 40 ms for a hundred thousand.
create index users_listed on organization.users (org_id, email_key, id) include (active, name_key);
-- Finds the few users of a large organization whose address or name contains a text: 1 to 15 ms among a hundred
-- thousand. The index includes the organization, because a text may be common in others. The column is an expression,
-- so that a statement chooses this index or `users_listed`: the planner knows the average organization only.
create index users_searched on organization.users
  using gin ((org_id || ''), email_key gin_trgm_ops, name_key gin_trgm_ops);

create function organization.write_user_document() returns trigger
language plpgsql as $$
begin
  new.document := concat(
    '{"id":', to_json(new.id),
    ',"email":', to_json(new.email),
    ',"givenName":', to_json(new.given_name),
    ',"familyName":', to_json(new.family_name),
    ',"active":', to_json(new.active), '}');
  return new;
end $$;

create trigger user_document before insert or update on organization.users
  for each row execute function organization.write_user_document();

create table organization.roles (
  id text collate "C" primary key,
  org_id text collate "C" not null references organization.organizations (id),
  name text not null,
  permissions text[] not null,
  system boolean not null default false,
  created_at timestamptz(3) not null,
  unique (org_id, id),
  unique (org_id, name)
);

-- Both foreign keys contain the organization, so no user can have a role of another organization.
create table organization.user_roles (
  org_id text collate "C" not null,
  user_id text collate "C" not null,
  role_id text collate "C" not null,
  -- Copied from the user.
  email_key text collate "C" not null,
  primary key (user_id, role_id),
  foreign key (org_id, user_id) references organization.users (org_id, id),
  foreign key (org_id, role_id) references organization.roles (org_id, id)
);
-- The users with a role in the order of the list.
create index user_roles_role on organization.user_roles (role_id, email_key, user_id);

create function organization.copy_email_key() returns trigger
language plpgsql as $$
begin
  update organization.user_roles set email_key = new.email_key where user_id = new.id;
  return null;
end $$;

create trigger user_email after update of email on organization.users
  for each row when (new.email_key <> old.email_key) execute function organization.copy_email_key();

-- A user as colleagues see them, and as administrators and the user do. A column that is not selected costs nothing.
create view organization.directory as
select
  u.id, u.org_id, u.email_key, u.document,
  concat(
    left(u.document, -1),
    ',"admin":', to_json(exists (
      select from organization.user_roles ur join organization.roles r on r.id = ur.role_id
      where ur.user_id = u.id and 'org:admin' = any(r.permissions))),
    ',"phone":' || to_json(u.phone)::text,
    '}') as full_document
from organization.users u;

create table organization.business_units (
  id text collate "C" primary key,
  org_id text collate "C" not null references organization.organizations (id),
  name text not null,
  created_at timestamptz(3) not null,
  unique (org_id, name)
);

create table organization.custom_fields (
  id text collate "C" primary key,
  org_id text collate "C" not null references organization.organizations (id),
  name text not null,
  created_at timestamptz(3) not null,
  unique (org_id, id),
  unique (org_id, name)
);

create table organization.custom_field_options (
  id text collate "C" primary key,
  org_id text collate "C" not null,
  field_id text collate "C" not null,
  name text not null,
  position integer not null,
  -- Deferred, because options are rewritten one by one and may exchange their names.
  constraint custom_field_options_name unique (field_id, name) deferrable initially deferred,
  foreign key (org_id, field_id) references organization.custom_fields (org_id, id) on delete cascade
);

-- Single-use links with which a new or reset user chooses a password. Only the hash of the token is stored.
create table organization.activations (
  token_hash bytea primary key,
  user_id text collate "C" not null references organization.users (id),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  -- Version of the user's password when the link was created.
  password_version integer not null,
  -- Null for links of the platform's operator.
  created_by text collate "C",
  creator_password_version integer,
  check ((created_by is null) = (creator_password_version is null))
);
create index activations_user on organization.activations (user_id);
-- The cleanup worker deletes expired links.
create index activations_expired on organization.activations (expires_at);

grant select, insert, update on organization.organizations, organization.users, organization.roles,
  organization.business_units, organization.custom_fields, organization.custom_field_options,
  organization.user_roles, organization.activations to marketplace_organization;
grant delete on organization.roles, organization.business_units, organization.custom_fields,
  organization.custom_field_options, organization.user_roles, organization.activations to marketplace_organization;
grant select on organization.directory to marketplace_organization;
