-- Whether people of the organization need a passkey to sign in.
alter table organization.organizations add column second_factor boolean not null default false;

-- Whether a user needs a passkey. People who must use an identity provider have the factors of the provider.
create view organization.second_factor_users as
select u.id as user_id
from organization.users u
join organization.organizations o on o.id = u.org_id
where o.second_factor and u.kind = 'PERSON'
  and not exists (select from organization.enforced_users e where e.user_id = u.id);

create or replace view organization.sign_in_directory as
select
  id as user_id, org_id, email_key as email, active, password_version, session_version,
  exists (select from organization.enforced_users e where e.user_id = u.id) as enforced,
  (select o.second_factor from organization.organizations o where o.id = u.org_id)
    and not exists (select from organization.enforced_users e where e.user_id = u.id) as second_factor
from organization.users u
where kind = 'PERSON' and anonymised_at is null;

grant select on organization.second_factor_users to marketplace_identity;

-- Mails that tell a person that a passkey was added or removed. They have no link of their own.
alter table organization.mails drop constraint mails_kind_check;
alter table organization.mails add constraint mails_kind_check check (kind in (
  'NOTICE', 'CONFIRMATION', 'INVITATION', 'RESET', 'FORGOTTEN', 'REGISTRATION', 'REGISTERED', 'REJECTION',
  'PASSKEY_ADDED', 'PASSKEY_REMOVED', 'PASSKEYS_RESET'));
