-- Requests for a new password, until a worker has sent the link. An unknown address also has a row, so that the answer
-- takes as long.
create table organization.password_resets (
  id text collate "C" primary key,
  email_key text collate "C" not null,
  ip_address text,
  user_agent text,
  created_at timestamptz(3) not null
);
-- Locking a row needs the right to update.
grant select, insert, update, delete on organization.password_resets to marketplace_organization;

-- Whether the user asked for the link. A new one replaces only such links.
alter table organization.activations add column self_service boolean not null default false;

alter table organization.mails drop constraint mails_kind_check;
alter table organization.mails add constraint mails_kind_check
  check (kind in ('NOTICE', 'CONFIRMATION', 'INVITATION', 'RESET', 'FORGOTTEN'));
