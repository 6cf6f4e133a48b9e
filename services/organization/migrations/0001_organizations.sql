create table organization.organizations (
  id text collate "C" primary key,
  name text not null,
  roles text[] not null,
  region_code text not null,
  website text,
  engagement text not null check (engagement in ('DIRECT', 'DISTRIBUTOR')),
  distributor_org_id text references organization.organizations (id),
  operator boolean not null default false,
  created_at timestamptz(3) not null,
  check ((engagement = 'DISTRIBUTOR') = (distributor_org_id is not null))
);
-- One organization runs the platform.
create unique index organizations_operator on organization.organizations (operator) where operator;

create table organization.users (
  id text collate "C" primary key,
  org_id text not null references organization.organizations (id),
  email text not null,
  given_name text not null,
  family_name text not null,
  phone text,
  active boolean not null default true,
  -- A reset moves this on: passwords set and tokens issued before it are void.
  credentials_valid_from timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  unique (org_id, id)
);
-- An address names one person on the whole platform, however it is spelled.
create unique index users_email on organization.users (lower(email));

create table organization.roles (
  id text collate "C" primary key,
  org_id text not null references organization.organizations (id),
  name text not null,
  permissions text[] not null,
  system boolean not null default false,
  created_at timestamptz(3) not null,
  unique (org_id, id),
  unique (org_id, name)
);

-- The organization stands in both keys, so that no user can hold another organization's role.
create table organization.user_roles (
  org_id text not null,
  user_id text not null,
  role_id text not null,
  primary key (user_id, role_id),
  foreign key (org_id, user_id) references organization.users (org_id, id),
  foreign key (org_id, role_id) references organization.roles (org_id, id)
);
create index user_roles_role on organization.user_roles (role_id);

create table organization.business_units (
  id text collate "C" primary key,
  org_id text not null references organization.organizations (id),
  name text not null,
  created_at timestamptz(3) not null,
  unique (org_id, name)
);

create table organization.custom_fields (
  id text collate "C" primary key,
  org_id text not null references organization.organizations (id),
  name text not null,
  created_at timestamptz(3) not null,
  unique (org_id, id),
  unique (org_id, name)
);

create table organization.custom_field_options (
  id text collate "C" primary key,
  org_id text not null,
  field_id text not null,
  name text not null,
  position integer not null,
  unique (field_id, name),
  foreign key (org_id, field_id) references organization.custom_fields (org_id, id) on delete cascade
);

-- The link that lets a new or reset user choose a password, once. Only its hash is kept.
create table organization.activations (
  token_hash bytea primary key,
  user_id text not null references organization.users (id),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index activations_user on organization.activations (user_id);

grant select, insert, update on organization.organizations, organization.users, organization.roles,
  organization.business_units, organization.custom_fields, organization.custom_field_options,
  organization.user_roles, organization.activations to marketplace_organization;
grant delete on organization.roles, organization.business_units, organization.custom_fields,
  organization.custom_field_options, organization.user_roles, organization.activations to marketplace_organization;
