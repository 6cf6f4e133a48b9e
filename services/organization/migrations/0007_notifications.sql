-- Whether the administrators of the organization are notified while it has no confirmed mail address.
alter table organization.organizations add column notify_administrators boolean not null default true;

-- The notifications of a person. A person is notified at an address that its owner has proved with a mailed link.
create table organization.user_notifications (
  user_id text collate "C" primary key references organization.users (id),
  enabled boolean not null default true,
  -- The proved address in lower case. It does not hold for another address that an administrator enters.
  proved_email_key text collate "C",
  -- Stands in each mail. It is stored as it is, because it can only end the notifications.
  unsubscribe_token text not null unique default replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''),
  -- SHA-256 of the token of a confirmation link, and the end of the link.
  confirmation_hash bytea unique,
  confirmable_until timestamptz(3)
);
grant select, insert, update on organization.user_notifications to marketplace_organization;

-- A NOTICE may be for a user.
alter table organization.mails drop constraint mails_check1;
alter table organization.mails add constraint mails_activation
  check ((activation_hash is not null) = (kind in ('INVITATION', 'RESET', 'FORGOTTEN')));
create unique index mails_open_of_user on organization.mails (user_id)
  where kind = 'NOTICE' and state = 'PENDING' and sealed_at is null;
create index mails_of_user on organization.mails (user_id) where state = 'PENDING';

-- Addresses with every topic also get the new one.
update organization.mail_addresses set topics = topics || '{CASES}'
where topics @> '{INVITATIONS,OFFERS,AWARDS,ORDERS,ENDPOINTS}' and not topics @> '{CASES}';
