-- Whoever makes a link knows it until it is used. A user may have been given more meanwhile than its maker holds: then the
-- link is as dead as an expired one, or making it would be a way to keys that nobody has granted to the maker.
alter table organization.activations
  -- Null where no user of the organization made it: the operator of the platform did.
  add column made_by text collate "C";

create or replace view organization.pending_activations as
select a.token_hash, a.user_id, u.org_id, a.created_at, a.expires_at
from organization.activations a
join organization.users u on u.id = a.user_id
where u.active and a.created_at >= u.credentials_valid_from
  and (a.made_by is null or not exists (
    select key
    from organization.user_roles ur
    join organization.roles r on r.id = ur.role_id
    cross join unnest(r.permissions) key
    where ur.user_id = a.user_id
    except
    select key
    from organization.user_roles ur
    join organization.roles r on r.id = ur.role_id
    cross join unnest(r.permissions) key
    where ur.user_id = a.made_by));
