-- How often the passkeys of a user were reset. A reset keeps the password, and voids the links and impersonation grants that
-- the user made before.
alter table organization.users add column passkey_resets bigint not null default 0;

-- `link_version` is the version of a creator that links and grants are made with and compared with. Either reset increments
-- it. While it equals `password_version`, as for everyone at first, the previous release makes valid links.
create or replace view organization.callers as
select
  u.id as user_id,
  u.org_id,
  u.active,
  u.password_version,
  u.session_version,
  coalesce(
    (select array_agg(distinct permission collate "C")
     from organization.user_roles ur
     join organization.roles r on r.id = ur.role_id
     cross join unnest(r.permissions) permission
     where ur.user_id = u.id), '{}'::text[]) as permissions,
  o.roles as org_roles,
  o.operator,
  u.password_version + u.passkey_resets as link_version
from organization.users u
join organization.organizations o on o.id = u.org_id;

create or replace view organization.pending_activations as
select a.token_hash, a.user_id, u.org_id, u.password_version, a.created_at, a.expires_at
from organization.activations a
join organization.users u on u.id = a.user_id
where u.active and a.password_version = u.password_version
  and (a.created_by is null or exists (
    select from organization.users creator
    where creator.id = a.created_by and creator.active
      and creator.password_version + creator.passkey_resets = a.creator_password_version))
  and (a.created_by is null or not exists (
    select permission
    from organization.user_roles ur
    join organization.roles r on r.id = ur.role_id
    cross join unnest(r.permissions) permission
    where ur.user_id = a.user_id
    except
    select permission
    from organization.user_roles ur
    join organization.roles r on r.id = ur.role_id
    cross join unnest(r.permissions) permission
    where ur.user_id = a.created_by));
