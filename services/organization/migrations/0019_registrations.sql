-- Companies that ask to join. A row is UNCONFIRMED until its link is used; the cleanup deletes the others.
create table organization.registrations (
  id text collate "C" primary key,
  state text not null default 'UNCONFIRMED' check (state in ('UNCONFIRMED', 'PENDING', 'APPROVED', 'REJECTED')),
  -- The validated input: organization and user.
  content json not null,
  email text not null,
  email_key text collate "C" not null,
  name text not null,
  ip_address text,
  user_agent text,
  -- Set when the worker has sent the link; null for an address that has an account.
  confirmation_hash bytea unique,
  -- Whether a worker has handled the request.
  handled boolean not null default false,
  reason text,
  org_id text collate "C" references organization.organizations (id),
  created_at timestamptz(3) not null,
  confirmed_at timestamptz(3),
  decided_at timestamptz(3),
  check ((state = 'UNCONFIRMED') = (confirmed_at is null)),
  check ((state in ('APPROVED', 'REJECTED')) = (decided_at is not null)),
  check ((state = 'APPROVED') = (org_id is not null)),
  check ((state = 'REJECTED') = (reason is not null))
);
create index registrations_waiting on organization.registrations (id) where not handled;
create index registrations_recent on organization.registrations (created_at);
create index registrations_of_address on organization.registrations (ip_address, created_at);
create index registrations_confirmed on organization.registrations (state, id desc) where state <> 'UNCONFIRMED';
create index registrations_of_email on organization.registrations (email_key)
  where state in ('UNCONFIRMED', 'PENDING');
grant select, insert, update, delete on organization.registrations to marketplace_organization;

-- Organizations that the operator compares with a registration.
create index organizations_similar on organization.organizations using gin (lower(name) public.gin_trgm_ops);
create index users_of_domain on organization.users (split_part(email_key, '@', 2));

-- Mails to an applicant, who is no user. They belong to the operator's organization.
alter table organization.mails
  add column registration_id text collate "C" references organization.registrations (id) on delete cascade,
  drop constraint mails_check,
  drop constraint mails_kind_check,
  add constraint mails_recipient check (num_nonnulls(address_id, user_id, registration_id) = 1),
  add constraint mails_kind_check check (kind in (
    'NOTICE', 'CONFIRMATION', 'INVITATION', 'RESET', 'FORGOTTEN', 'REGISTRATION', 'REGISTERED', 'REJECTION')),
  add constraint mails_registration check ((registration_id is not null) = (kind in ('REGISTRATION', 'REGISTERED', 'REJECTION')));
create index mails_of_registration on organization.mails (registration_id) where registration_id is not null;
