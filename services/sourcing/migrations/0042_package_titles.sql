-- Until a manufacturer has accepted the terms of each line of a package that asks it, mails and the inbox do not name the
-- package: its title is no part of an outline.
create or replace view sourcing.inbox_invitations as
select org_id, rfq_id as record_id, null::text as parent_id,
  coalesce((
    select title from sourcing.rfq_packages where id = package_id and not exists (
      select from sourcing.rfq_invitations line
      where line.org_id = invitation.org_id and line.package_id = invitation.package_id
        and line.state in ('INVITED', 'READ') and line.rfq_state = 'OPEN' and not line.expired and line.awaits_acceptance)
  ), part_title) as title, invited_at as since,
  coalesce((
    select min(line.expires_at) from sourcing.rfq_invitations line
    where line.org_id = invitation.org_id and line.package_id = invitation.package_id
      and line.state in ('INVITED', 'READ') and line.rfq_state = 'OPEN' and not line.expired), expires_at)::timestamptz(3) as due,
  null::text as for_user_id, null::text as not_user_id, package_id,
  case when package_id is not null then (
    select count(*)::integer from sourcing.rfq_invitations line
    where line.org_id = invitation.org_id and line.package_id = invitation.package_id
      and line.state in ('INVITED', 'READ') and line.rfq_state = 'OPEN' and not line.expired) end as count
from sourcing.rfq_invitations invitation
where state in ('INVITED', 'READ') and rfq_state = 'OPEN' and not expired and (package_id is null or not exists (
  select from sourcing.rfq_invitations newer
  where newer.org_id = invitation.org_id and newer.package_id = invitation.package_id
    and newer.state in ('INVITED', 'READ') and newer.rfq_state = 'OPEN' and not newer.expired
    and (newer.invited_at, newer.rfq_id) > (invitation.invited_at, invitation.rfq_id)));

-- The release before reads the title of each row.
create or replace view sourcing.package_readers as
select p.id as package_id, p.consumer_org_id as org_id, 'CONSUMER' as role, p.title,
  (select count(*)::integer from sourcing.rfqs r where r.package_id = p.id and r.published_at is not null) as lines,
  (select max(r.expires_at) from sourcing.rfqs r where r.package_id = p.id and r.state = 'OPEN') as expires_at,
  false as awaits_acceptance
from sourcing.rfq_packages p
union all
select i.package_id, i.org_id, 'MANUFACTURER', p.title, i.lines, i.expires_at, i.awaits_acceptance
from sourcing.rfq_packages p
join (
  select package_id, org_id, count(*) filter (where state <> 'DECLINED')::integer as lines,
    max(expires_at) filter (where rfq_state = 'OPEN' and state <> 'DECLINED') as expires_at,
    bool_or(awaits_acceptance and state <> 'DECLINED') or bool_and(awaits_acceptance) as awaits_acceptance
  from sourcing.rfq_invitations where package_id is not null group by package_id, org_id
) i on i.package_id = p.id;
