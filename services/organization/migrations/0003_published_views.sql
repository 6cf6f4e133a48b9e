-- What the other services may see. They read these in SQL and keep no copies.

create view organization.callers as
select
  u.id as user_id,
  u.org_id,
  u.active,
  u.credentials_valid_from,
  coalesce(
    (select array_agg(distinct key)
     from organization.user_roles ur
     join organization.roles r on r.id = ur.role_id
     cross join unnest(r.permissions) key
     where ur.user_id = u.id), '{}'::text[]) as permissions,
  o.roles as org_roles,
  o.operator
from organization.users u
join organization.organizations o on o.id = u.org_id;

create view organization.sign_in_directory as
select id as user_id, org_id, lower(email) as email, active, credentials_valid_from
from organization.users;

create view organization.pending_activations as
select a.token_hash, a.user_id, u.org_id, a.created_at, a.expires_at
from organization.activations a
join organization.users u on u.id = a.user_id
where u.active and a.created_at >= u.credentials_valid_from;

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
