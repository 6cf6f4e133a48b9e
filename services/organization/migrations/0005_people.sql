-- People as the API shows, searches and guards them.

drop view organization.callers;
drop view organization.sign_in_directory;
drop view organization.pending_activations;
drop view organization.org_directory;
drop view organization.business_unit_lookup;
drop view organization.custom_field_lookup;

-- An id is compared with a reference to it by an index only where both are collated alike.
alter table organization.organizations alter column distributor_org_id type text collate "C";
create index organizations_distributor on organization.organizations (distributor_org_id)
  where distributor_org_id is not null;
alter table organization.roles alter column org_id type text collate "C";
alter table organization.business_units alter column org_id type text collate "C";
alter table organization.custom_fields alter column org_id type text collate "C";
alter table organization.custom_field_options
  alter column org_id type text collate "C",
  alter column field_id type text collate "C";
alter table organization.activations alter column user_id type text collate "C";

drop index organization.users_email;
alter table organization.users
  alter column org_id type text collate "C",
  -- Set once: the person's data are gone then, and only the id and the word `erased` stay.
  add column anonymised_at timestamptz(3),
  -- A deactivation moves this on: sessions of before stay dead when the user is activated again. The password lives.
  add column sessions_valid_from timestamptz(3),
  -- What addresses are compared and ordered by, and with the names what `q` looks into: in lower case already, for `like`
  -- costs a fraction of `ilike`.
  add column email_key text collate "C" not null generated always as (lower(email)) stored,
  add column name_key text collate "C" not null generated always as (lower(given_name || ' ' || family_name)) stored,
  -- The directory view as JSON, made on write; what administrators see more is added on reading.
  add column document text;

-- An address names one person on the whole platform, however it is spelled. Who was anonymised has none.
create unique index users_email on organization.users (email_key) where anonymised_at is null;
-- Answers every list by itself. A search reads the organization's part of it, which takes 0.1 ms for a hundred users and
-- 40 ms for a hundred thousand; a trigram index knows no organizations, and took 50 ms for a word that others use, and
-- seconds for two letters.
create index users_listed on organization.users (org_id, email_key, id) include (active, name_key);

create function organization.write_user_document() returns trigger
language plpgsql as $$
begin
  new.document := concat(
    '{"id":', to_json(new.id),
    ',"email":', to_json(new.email),
    ',"givenName":', to_json(new.given_name),
    ',"familyName":', to_json(new.family_name),
    ',"active":', to_json(new.active), '}');
  return new;
end $$;

create trigger user_document before insert or update on organization.users
  for each row execute function organization.write_user_document();
update organization.users set updated_at = updated_at;
alter table organization.users alter column document set not null;

-- Holders of a role in the order in which users are listed: a page of them is a few steps in an index.
alter table organization.user_roles
  alter column org_id type text collate "C",
  alter column user_id type text collate "C",
  alter column role_id type text collate "C",
  add column email_key text collate "C";
update organization.user_roles ur set email_key = u.email_key from organization.users u where u.id = ur.user_id;
alter table organization.user_roles alter column email_key set not null;
drop index organization.user_roles_role;
create index user_roles_role on organization.user_roles (role_id, email_key, user_id);

create function organization.follow_email() returns trigger
language plpgsql as $$
begin
  update organization.user_roles set email_key = new.email_key where user_id = new.id;
  return null;
end $$;

create trigger user_email after update of email on organization.users
  for each row when (new.email_key <> old.email_key) execute function organization.follow_email();

-- Options keep their names unique while they are rewritten one by one.
alter table organization.custom_field_options
  drop constraint custom_field_options_field_id_name_key,
  add constraint custom_field_options_name unique (field_id, name) deferrable initially deferred;

-- A user as colleagues see them, and as administrators and the user do. A column that is not asked for costs nothing.
create view organization.directory as
select
  u.id, u.org_id, u.email_key, u.document,
  concat(
    left(u.document, -1),
    ',"admin":', to_json(exists (
      select from organization.user_roles ur join organization.roles r on r.id = ur.role_id
      where ur.user_id = u.id and 'org:admin' = any(r.permissions))),
    ',"phone":' || to_json(u.phone)::text,
    '}') as full_document
from organization.users u;
grant select on organization.directory to marketplace_organization;

-- Tokens are void that were issued before a reset, or before the last deactivation.
create view organization.callers as
select
  u.id as user_id,
  u.org_id,
  u.active,
  greatest(u.credentials_valid_from, u.sessions_valid_from) as credentials_valid_from,
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
select id as user_id, org_id, email_key as email, active, credentials_valid_from
from organization.users
where anonymised_at is null;

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

-- Whoever files a part under a unit, or chooses an option, holds the labels of the organization from before they are looked
-- up until the part is written. Whoever deletes one claims them, and looks for parts that use it only then, in a statement
-- of its own. Of two that race, either the part is there and the label stays, or the label is gone and the part is refused.
create function organization.hold_labels(of_org text) returns void
language sql volatile
as $$ select pg_advisory_xact_lock_shared(7204914, hashtext(of_org)) $$;
create function organization.claim_labels(of_org text) returns void
language sql volatile
as $$ select pg_advisory_xact_lock(7204914, hashtext(of_org)) $$;
revoke execute on function organization.hold_labels(text), organization.claim_labels(text) from public;
grant execute on function organization.hold_labels(text) to marketplace_sourcing;
grant execute on function organization.claim_labels(text) to marketplace_organization;
