-- The links of invitations by e-mail, which the service of RFQs looks up.
create table organization.email_invitation_links (
  token_hash bytea primary key,
  invitation_id text collate "C" not null unique,
  expires_at timestamptz(3) not null
);
create index email_invitation_links_expired on organization.email_invitation_links (expires_at);
grant select, insert, update, delete on organization.email_invitation_links to marketplace_organization;

create view organization.email_invitation_tokens as
select token_hash, invitation_id from organization.email_invitation_links;
grant select on organization.email_invitation_tokens to marketplace_sourcing;

-- Mails to an invited address, which need not belong to a user. They belong to the organization that invites.
alter table organization.mails
  add column email_invitation_id text collate "C",
  drop constraint mails_recipient,
  drop constraint mails_kind_check,
  add constraint mails_recipient check (num_nonnulls(address_id, user_id, registration_id, email_invitation_id) = 1),
  add constraint mails_kind_check check (kind in (
    'NOTICE', 'CONFIRMATION', 'INVITATION', 'RESET', 'FORGOTTEN', 'REGISTRATION', 'REGISTERED', 'REJECTION',
    'RFQ_INVITATION', 'PASSKEY_ADDED', 'PASSKEY_REMOVED', 'PASSKEYS_RESET')),
  add constraint mails_email_invitation check ((email_invitation_id is not null) = (kind = 'RFQ_INVITATION'));

-- The mail to the administrator of an admitted company says who admitted it.
create index registrations_of_organization on organization.registrations (org_id) where org_id is not null;
