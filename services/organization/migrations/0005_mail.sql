-- Addresses that an organization has told by mail what happens.
create table organization.mail_addresses (
  id text collate "C" primary key,
  org_id text collate "C" not null references organization.organizations (id),
  email text not null,
  email_key text not null generated always as (lower(email)) stored,
  topics text[] not null,
  created_by text collate "C" not null,
  created_at timestamptz(3) not null,
  -- Until the owner of the address has confirmed it, no mail tells it anything.
  confirmed_at timestamptz(3),
  -- End of the confirmation link, after which the address is removed.
  confirmable_until timestamptz(3),
  -- SHA-256 of the token of the confirmation link.
  confirmation_hash bytea unique,
  -- Stands in each mail. It is stored as it is, because it can only remove the address.
  unsubscribe_token text not null unique,
  unique (org_id, email_key),
  check ((confirmed_at is null) = (confirmable_until is not null))
);
create index mail_addresses_listed on organization.mail_addresses (org_id, id desc);
create index mail_addresses_unconfirmed on organization.mail_addresses (confirmable_until) where confirmable_until is not null;

-- Mails to send, and those that were sent until the cleanup deletes them. No mail has a price, a recipient or a text:
-- these are read when it is sent.
create table organization.mails (
  id text collate "C" primary key,
  org_id text collate "C" not null references organization.organizations (id),
  kind text not null check (kind in ('NOTICE', 'CONFIRMATION', 'INVITATION', 'RESET')),
  address_id text collate "C",
  user_id text collate "C",
  -- SHA-256 of the recipient, by which the links that one recipient gets are counted.
  recipient_hash bytea,
  -- What a NOTICE tells: ids, states and times.
  items jsonb not null default '[]',
  -- Items beyond the maximum, which are only counted.
  omitted integer not null default 0,
  -- SHA-256 of the token of an activation link. The mail is not sent once the link is void.
  activation_hash bytea,
  -- The token of a link, encrypted, until the mail is sent or given up.
  secret text,
  state text not null default 'PENDING' check (state in ('PENDING', 'SENT', 'FAILED')),
  attempts integer not null default 0,
  -- Whether the last attempt failed because of this recipient or because of the server.
  failure text check (failure in ('RECIPIENT', 'SERVER')),
  created_at timestamptz(3) not null,
  next_attempt_at timestamptz(3) not null,
  -- Time of the first attempt. A NOTICE takes further items until then.
  sealed_at timestamptz(3),
  expires_at timestamptz(3) not null,
  lease_until timestamptz(3),
  lease_token uuid,
  finished_at timestamptz(3),
  check ((address_id is null) <> (user_id is null)),
  check ((user_id is null) = (activation_hash is null)),
  check (state = 'PENDING' or secret is null)
);
-- Mails for one address are collected in one.
create unique index mails_open on organization.mails (address_id)
  where kind = 'NOTICE' and state = 'PENDING' and sealed_at is null;
create index mails_due on organization.mails (next_attempt_at) where state = 'PENDING';
create index mails_of_address on organization.mails (address_id) where state = 'PENDING';
create index mails_sealed on organization.mails (org_id, sealed_at) where kind = 'NOTICE';
create index mails_links on organization.mails (org_id, created_at) where kind <> 'NOTICE';
create index mails_of_recipient on organization.mails (recipient_hash, created_at) where recipient_hash is not null;
create index mails_recipients on organization.mails (created_at) where recipient_hash is not null;
create index mails_finished on organization.mails (finished_at) where finished_at is not null;

grant select, insert, update, delete on organization.mail_addresses, organization.mails to marketplace_organization;
grant select on organization.pending_activations to marketplace_organization;
