-- Views for the other services, which query them and keep no copies.

create view organization.callers as
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
  o.operator
from organization.users u
join organization.organizations o on o.id = u.org_id;

create view organization.sign_in_directory as
select id as user_id, org_id, email_key as email, active, password_version, session_version
from organization.users
where kind = 'PERSON' and anonymised_at is null;

-- The creator of a link knows it until it is used. The link is void if the creator was deactivated or reset since, and
-- if the user was granted a permission that the creator lacks. Otherwise it would give the creator that permission.
create view organization.pending_activations as
select a.token_hash, a.user_id, u.org_id, u.password_version, a.created_at, a.expires_at
from organization.activations a
join organization.users u on u.id = a.user_id
where u.active and a.password_version = u.password_version
  and (a.created_by is null or exists (
    select from organization.users creator
    where creator.id = a.created_by and creator.active and creator.password_version = a.creator_password_version))
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

create view organization.org_directory as
select id as org_id, name, roles, region_code, engagement, distributor_org_id
from organization.organizations;

create view organization.business_unit_lookup as
select id as business_unit_id, org_id from organization.business_units;

create view organization.custom_field_lookup as
select field_id, id as option_id, org_id from organization.custom_field_options;

grant select on organization.callers, organization.org_directory to
  marketplace_identity, marketplace_catalog, marketplace_sourcing, marketplace_organization, marketplace_webhooks;
grant select on organization.sign_in_directory, organization.pending_activations to marketplace_identity;
grant select on organization.business_unit_lookup, organization.custom_field_lookup to marketplace_sourcing;

-- Serializes commands that read or change the authority of users, in the services of users and of sessions. It runs
-- with the rights of the owner, because the service of sessions cannot lock a row of another schema.
create function organization.lock_organization(of_org text) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$ select from organization.organizations where id = of_org for no key update $$;
revoke execute on function organization.lock_organization(text) from public;
grant execute on function organization.lock_organization(text) to marketplace_identity, marketplace_organization;

-- Labels are business units, custom fields and options. A transaction that writes a part with labels locks them in
-- shared mode before it looks them up. A transaction that deletes a label locks them in exclusive mode, and queries the
-- parts that use it in a later statement. Of two that run at the same time, either the label stays or the part is
-- refused.
create function organization.lock_labels_shared(of_org text) returns void
language sql volatile
as $$ select pg_advisory_xact_lock_shared(7204914, hashtext(of_org)) $$;
create function organization.lock_labels_exclusive(of_org text) returns void
language sql volatile
as $$ select pg_advisory_xact_lock(7204914, hashtext(of_org)) $$;
revoke execute on function organization.lock_labels_shared(text), organization.lock_labels_exclusive(text) from public;
grant execute on function organization.lock_labels_shared(text) to marketplace_sourcing;
grant execute on function organization.lock_labels_exclusive(text) to marketplace_organization;
