-- The order of the lines of a package. The ids of its RFQs have none, so that a manufacturer cannot tell from those of
-- its own lines whether there are others between them.
alter table sourcing.rfqs add column package_place smallint;
update sourcing.rfqs line set package_place = ordered.place
from (
  select id, row_number() over (partition by package_id order by id) - 1 as place
  from sourcing.rfqs where package_id is not null
) ordered
where line.id = ordered.id;
alter table sourcing.rfqs add check ((package_id is null) = (package_place is null));

-- The inbox has one item for the records of a kind of one package. Of them the newest row stands for the others, which
-- an index of the package finds. An IP owner reads no package, so its items are RFQs.
alter table sourcing.offers add column package_id text collate "C";
update sourcing.offers offer set package_id = rfq.package_id
from sourcing.rfqs rfq where rfq.id = offer.rfq_id and rfq.package_id is not null;

create function sourcing.write_offer_package() returns trigger
language plpgsql as $$
begin
  new.package_id := (select package_id from sourcing.rfqs where id = new.rfq_id);
  return new;
end $$;

create trigger offer_package before insert on sourcing.offers
  for each row execute function sourcing.write_offer_package();

create index rfq_invitations_unanswered_packages on sourcing.rfq_invitations (
    org_id, package_id, invited_at desc, rfq_id desc)
  where state in ('INVITED', 'READ') and rfq_state = 'OPEN' and not expired and package_id is not null;
create index rfqs_unanswered_packages on sourcing.rfqs (package_id, unanswered_since desc, id desc)
  where unanswered_questions > 0 and package_id is not null;
create index rfqs_outdated_packages on sourcing.rfqs (package_id, part_changed_since desc, id desc)
  where part_changed and state = 'OPEN' and package_id is not null;
create index rfqs_to_compare_packages on sourcing.rfqs (package_id, state_since desc, id desc)
  where state = 'CLOSED' and package_id is not null;
create index offers_to_compare_packages on sourcing.offers (package_id, submitted_at desc, id desc)
  where state = 'SUBMITTED' and not concealed and package_id is not null;
create index offers_outdated_packages on sourcing.offers (
    manufacturer_org_id, package_id, outdated_since desc, id desc)
  where state = 'SUBMITTED' and outdated and package_id is not null;

-- The lines of a package whose offers wait to be compared: those that are CLOSED, or OPEN with an offer to see. The
-- `case` keeps the planner from indexes of states, which have the RFQs of all packages.
create view sourcing.package_lines_to_compare as
select line.package_id, line.id, case line.state when 'OPEN' then line.expires_at end as due
from sourcing.rfqs line
where case line.state when 'CLOSED' then true when 'OPEN' then exists (
  select from sourcing.offers offer where offer.rfq_id = line.id and offer.state = 'SUBMITTED' and not offer.concealed) end;

-- `package_id` is null where the record is no line of a package that the organization reads; else `count` tells how
-- many records the item stands for.
create or replace view sourcing.inbox_invitations as
select org_id, rfq_id as record_id, null::text as parent_id,
  coalesce((select title from sourcing.rfq_packages where id = package_id), part_title) as title, invited_at as since,
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

create or replace view sourcing.inbox_consumer_questions as
select consumer_org_id as org_id, id as record_id, null::text as parent_id,
  coalesce((select title from sourcing.rfq_packages where id = package_id), part_title) as title, unanswered_since as since,
  null::timestamptz as due, null::text as for_user_id, null::text as not_user_id, package_id,
  case when package_id is not null then (
    select count(*)::integer from sourcing.rfqs line
    where line.package_id = rfq.package_id and line.unanswered_questions > 0) end as count
from sourcing.rfqs rfq
where unanswered_questions > 0 and (package_id is null or not exists (
  select from sourcing.rfqs newer
  where newer.package_id = rfq.package_id and newer.unanswered_questions > 0
    and (newer.unanswered_since, newer.id) > (rfq.unanswered_since, rfq.id)));

create or replace view sourcing.inbox_outdated_offers as
select offer.manufacturer_org_id as org_id, offer.id as record_id, offer.rfq_id as parent_id,
  coalesce((select title from sourcing.rfq_packages where id = offer.package_id), invitation.part_title) as title, offer.outdated_since as since,
  coalesce((
    select min(other_invitation.expires_at)
    from sourcing.offers other join sourcing.rfq_invitations other_invitation
      on other_invitation.org_id = other.manufacturer_org_id and other_invitation.rfq_id = other.rfq_id
    where other.manufacturer_org_id = offer.manufacturer_org_id and other.package_id = offer.package_id
      and other.state = 'SUBMITTED' and other.outdated and other_invitation.rfq_state = 'OPEN'),
    invitation.expires_at)::timestamptz(3) as due,
  null::text as for_user_id, null::text as not_user_id, offer.package_id,
  case when offer.package_id is not null then (
    select count(*)::integer
    from sourcing.offers other join sourcing.rfq_invitations other_invitation
      on other_invitation.org_id = other.manufacturer_org_id and other_invitation.rfq_id = other.rfq_id
    where other.manufacturer_org_id = offer.manufacturer_org_id and other.package_id = offer.package_id
      and other.state = 'SUBMITTED' and other.outdated and other_invitation.rfq_state = 'OPEN') end as count
from sourcing.offers offer
join sourcing.rfq_invitations invitation
  on invitation.org_id = offer.manufacturer_org_id and invitation.rfq_id = offer.rfq_id
where offer.state = 'SUBMITTED' and offer.outdated and invitation.rfq_state = 'OPEN'
  and (offer.package_id is null or not exists (
    select from sourcing.offers newer join sourcing.rfq_invitations newer_invitation
      on newer_invitation.org_id = newer.manufacturer_org_id and newer_invitation.rfq_id = newer.rfq_id
    where newer.manufacturer_org_id = offer.manufacturer_org_id and newer.package_id = offer.package_id
      and newer.state = 'SUBMITTED' and newer.outdated and newer_invitation.rfq_state = 'OPEN'
      and (newer.outdated_since, newer.id) > (offer.outdated_since, offer.id)));

-- A package waits by its newest offer, or by the line that closed last, if that is later.
create or replace view sourcing.inbox_closed_rfqs as
select consumer_org_id as org_id, id as record_id, null::text as parent_id,
  coalesce((select title from sourcing.rfq_packages where id = package_id), part_title) as title, state_since as since,
  (select min(line.due) from sourcing.package_lines_to_compare line where line.package_id = rfq.package_id) as due,
  null::text as for_user_id, null::text as not_user_id, package_id,
  case when package_id is not null then (
    select count(*)::integer from sourcing.package_lines_to_compare line
    where line.package_id = rfq.package_id) end as count
from sourcing.rfqs rfq
where state = 'CLOSED' and (package_id is null or not exists (
    select from sourcing.rfqs newer
    where newer.package_id = rfq.package_id and newer.state = 'CLOSED'
      and (newer.state_since, newer.id) > (rfq.state_since, rfq.id))
  and not exists (
    select from sourcing.offers newer join sourcing.rfqs line on line.id = newer.rfq_id
    where newer.package_id = rfq.package_id and newer.state = 'SUBMITTED' and not newer.concealed
      and newer.submitted_at > rfq.state_since and line.state in ('OPEN', 'CLOSED')));

create or replace view sourcing.inbox_offered_rfqs as
select offer.consumer_org_id as org_id, rfq.id as record_id, null::text as parent_id,
  coalesce((select title from sourcing.rfq_packages where id = offer.package_id), rfq.part_title) as title, offer.submitted_at as since,
  case when offer.package_id is null then rfq.expires_at else (
    select min(line.due) from sourcing.package_lines_to_compare line where line.package_id = offer.package_id) end::timestamptz(3) as due,
  null::text as for_user_id, null::text as not_user_id, offer.package_id,
  case when offer.package_id is not null then (
    select count(*)::integer from sourcing.package_lines_to_compare line
    where line.package_id = offer.package_id) end as count
from sourcing.offers offer join sourcing.rfqs rfq on rfq.id = offer.rfq_id
where offer.state = 'SUBMITTED' and not offer.concealed and case when offer.package_id is null
  then rfq.state = 'OPEN' and offer.id = (
    select newest.id from sourcing.offers newest
    where newest.rfq_id = offer.rfq_id and newest.state = 'SUBMITTED'
    order by newest.submitted_at desc, newest.id desc limit 1)
  else rfq.state in ('OPEN', 'CLOSED') and offer.id = (
    select newest.id from sourcing.offers newest join sourcing.rfqs line on line.id = newest.rfq_id
    where newest.package_id = offer.package_id and newest.state = 'SUBMITTED' and not newest.concealed
      and line.state in ('OPEN', 'CLOSED')
    order by newest.submitted_at desc, newest.id desc limit 1)
  and not exists (
    select from sourcing.rfqs closed
    where closed.package_id = offer.package_id and closed.state = 'CLOSED' and closed.state_since >= offer.submitted_at)
  end;

create or replace view sourcing.inbox_changed_parts as
select consumer_org_id as org_id, id as record_id, null::text as parent_id,
  coalesce((select title from sourcing.rfq_packages where id = package_id), part_title) as title, part_changed_since as since,
  coalesce((
    select min(line.expires_at) from sourcing.rfqs line
    where line.package_id = rfq.package_id and line.part_changed and line.state = 'OPEN'), expires_at)::timestamptz(3) as due,
  null::text as for_user_id, null::text as not_user_id, package_id,
  case when package_id is not null then (
    select count(*)::integer from sourcing.rfqs line
    where line.package_id = rfq.package_id and line.part_changed and line.state = 'OPEN') end as count
from sourcing.rfqs rfq
where part_changed and state = 'OPEN' and (package_id is null or not exists (
  select from sourcing.rfqs newer
  where newer.package_id = rfq.package_id and newer.part_changed and newer.state = 'OPEN'
    and (newer.part_changed_since, newer.id) > (rfq.part_changed_since, rfq.id)));

-- The packages that wait for an organization, with their kinds and the role in which it reads them, for the daily
-- mails.
create view sourcing.waiting_packages as
select org_id, package_id, 'INVITATION' as kind, 'MANUFACTURER' as role, count, since from sourcing.inbox_invitations
where package_id is not null
union all
select org_id, package_id, 'OUTDATED_OFFER', 'MANUFACTURER', count, since from sourcing.inbox_outdated_offers
where package_id is not null
union all
select org_id, package_id, 'QUESTION', 'CONSUMER', count, since from sourcing.inbox_consumer_questions
where package_id is not null
union all
select org_id, package_id, 'OFFERS_TO_COMPARE', 'CONSUMER', count, since from sourcing.inbox_closed_rfqs
where package_id is not null
union all
select org_id, package_id, 'OFFERS_TO_COMPARE', 'CONSUMER', count, since from sourcing.inbox_offered_rfqs
where package_id is not null
union all
select org_id, package_id, 'PART_CHANGED', 'CONSUMER', count, since from sourcing.inbox_changed_parts
where package_id is not null;

grant select on sourcing.waiting_packages to marketplace_organization;

-- Tasks and expenses of cases whose RFQ has ended for their parties. Indexes skip them, and the views still compare
-- each case with its record.
alter table sourcing.case_work add column has_ended boolean not null default false;

create function sourcing.rfq_case_has_ended(about sourcing.cases) returns boolean
language sql stable
return about.rfq_id is not null and cardinality(about.party_org_ids) > 1 and not exists (
  select from sourcing.rfqs rfq
  where rfq.id = about.rfq_id
    and case
      when rfq.state in ('OPEN', 'CLOSED') then true
      when rfq.state = 'AWARDED' and about.follows_rfq then exists (
        select from sourcing.orders placed
        where placed.rfq_id = rfq.id and placed.manufacturer_org_id = about.org_id)
      else false end
    and (about.org_id in (rfq.consumer_org_id, rfq.ip_owner_org_id) or not exists (
      select from sourcing.rfq_invitations
      where rfq_id = rfq.id and org_id = about.org_id and state = 'DECLINED')));

-- Tasks and expenses are changed under the lock of their case.
create function sourcing.mark_ended_work(ended_rfq_id text) returns void
language plpgsql as $$
begin
  perform from sourcing.cases about
  where about.rfq_id = ended_rfq_id and exists (
    select from sourcing.case_work work
    where work.case_id = about.id and work.has_ended <> sourcing.rfq_case_has_ended(about))
  order by about.id for update;
  update sourcing.case_work work set has_ended = not work.has_ended
  from sourcing.cases about
  where about.rfq_id = ended_rfq_id and work.case_id = about.id
    and work.has_ended <> sourcing.rfq_case_has_ended(about);
end $$;

create function sourcing.end_work_of_rfq() returns trigger
language plpgsql as $$
begin
  perform sourcing.mark_ended_work(new.id);
  return null;
end $$;

create function sourcing.end_work_about_rfq() returns trigger
language plpgsql as $$
begin
  perform sourcing.mark_ended_work(new.rfq_id);
  return null;
end $$;

-- Deferred, because cases are locked last in a transaction.
create constraint trigger rfq_ends_work after update on sourcing.rfqs
  deferrable initially deferred for each row
  when (new.state <> old.state and (new.state in ('AWARDED', 'CANCELLED') or old.state in ('AWARDED', 'CANCELLED')))
  execute function sourcing.end_work_of_rfq();
create constraint trigger decline_ends_work after update on sourcing.rfq_invitations
  deferrable initially deferred for each row
  when (new.state <> old.state and 'DECLINED' in (new.state, old.state))
  execute function sourcing.end_work_about_rfq();
create constraint trigger order_keeps_work after insert on sourcing.orders
  deferrable initially deferred for each row execute function sourcing.end_work_about_rfq();

update sourcing.case_work work set has_ended = true
from sourcing.cases about where about.id = work.case_id and sourcing.rfq_case_has_ended(about);

drop index sourcing.case_work_of_organizations;
drop index sourcing.case_work_of_users;
drop index sourcing.case_work_of_others;
create index case_work_of_organizations on sourcing.case_work (org_id, since desc, id desc)
  where kind = 'task' and state = 'OPEN' and is_case_open and is_assignee and assignee_user_id is null and not has_ended;
create index case_work_of_users on sourcing.case_work (org_id, assignee_user_id, since desc, id desc)
  where kind = 'task' and state = 'OPEN' and is_case_open and is_assignee and assignee_user_id is not null
    and not has_ended;
create index case_work_of_others on sourcing.case_work (org_id, since desc, id desc)
  where kind = 'expense' and state = 'PROPOSED' and is_case_open and by_org_id <> org_id and not has_ended;

create or replace view sourcing.inbox_tasks_of_organizations as
select org_id, id as record_id, case_id as parent_id,
  (select document::json ->> 'title' from sourcing.subrecords where id = work.id) as title,
  since, due_at as due, null::text as for_user_id, null::text as not_user_id
from sourcing.case_work work
where kind = 'task' and state = 'OPEN' and is_case_open and is_assignee and assignee_user_id is null and not has_ended
  and (is_alone or (select true from sourcing.related_cases where id = work.case_id));

create or replace view sourcing.inbox_tasks_of_users as
select org_id, id as record_id, case_id as parent_id,
  (select document::json ->> 'title' from sourcing.subrecords where id = work.id) as title,
  since, due_at as due, assignee_user_id as for_user_id, null::text as not_user_id
from sourcing.case_work work
where kind = 'task' and state = 'OPEN' and is_case_open and is_assignee and assignee_user_id is not null
  and not has_ended
  and (is_alone or (select true from sourcing.related_cases where id = work.case_id));

create or replace view sourcing.inbox_expenses_of_others as
select org_id, id as record_id, case_id as parent_id,
  (select document::json ->> 'description' from sourcing.subrecords where id = work.id) as title,
  since, null::timestamptz as due, null::text as for_user_id, null::text as not_user_id
from sourcing.case_work work
where kind = 'expense' and state = 'PROPOSED' and is_case_open and by_org_id <> org_id and not has_ended
  and (is_alone or (select true from sourcing.related_cases where id = work.case_id));

-- Whether a pinned revision of a part has files of the group `ip` that another one does not have, which may be null.
create function sourcing.has_ip_files(pinned_part_id text, pinned integer, released integer) returns boolean
language sql stable parallel safe
return exists (
  select from sourcing.part_revisions listing
  cross join lateral unnest(listing.file_ids) listed (file_id)
  join sourcing.files file on file.id = listed.file_id
  where listing.part_id = pinned_part_id and listing.revision = pinned and file.file_group = 'ip' and not exists (
    select from sourcing.part_revisions other
    where other.part_id = pinned_part_id and other.revision = released and file.id = any (other.file_ids)));

-- Manufacturers that have accepted the terms of an RFQ, and cannot read a file of the group `ip` of its revision
-- because the IP owner has not released it to them. An IP owner that is invited itself releases none.
create table sourcing.awaited_releases (
  rfq_id text collate "C" not null references sourcing.rfqs (id) on delete cascade,
  org_id text not null,
  ip_owner_org_id text not null,
  since timestamptz(3) not null,
  primary key (rfq_id, org_id)
);
create index awaited_releases_newest on sourcing.awaited_releases (ip_owner_org_id, since desc, rfq_id desc);

create view sourcing.missing_releases as
select rfq.id as rfq_id, invitation.org_id, rfq.ip_owner_org_id, acceptance.accepted_at
from sourcing.rfqs rfq
join sourcing.rfq_invitations invitation on invitation.rfq_id = rfq.id
join sourcing.rfq_acceptances acceptance on acceptance.rfq_id = rfq.id and acceptance.org_id = invitation.org_id
left join sourcing.rfq_file_releases release
  on release.rfq_id = rfq.id and release.org_id = invitation.org_id and release.ended_at is null
where rfq.state in ('OPEN', 'CLOSED') and not (rfq.ip_owner_org_id = any (rfq.manufacturer_ids))
  and invitation.state <> 'DECLINED' and not invitation.awaits_acceptance
  and sourcing.has_ip_files(rfq.part_id, rfq.part_revision, release.part_revision);

-- Follows a change of an RFQ or of one manufacturer of it, whose row of the RFQ is locked.
create function sourcing.note_awaited_releases(changed_rfq_id text, changed_org_id text, changed_at timestamptz) returns void
language sql as $$
  delete from sourcing.awaited_releases awaited
  where awaited.rfq_id = changed_rfq_id and (changed_org_id is null or awaited.org_id = changed_org_id) and not exists (
    select from sourcing.missing_releases missing
    where missing.rfq_id = changed_rfq_id and missing.org_id = awaited.org_id);
  insert into sourcing.awaited_releases (rfq_id, org_id, ip_owner_org_id, since)
  select rfq_id, org_id, ip_owner_org_id, coalesce(changed_at, accepted_at) from sourcing.missing_releases
  where rfq_id = changed_rfq_id and (changed_org_id is null or org_id = changed_org_id)
  on conflict do nothing;
$$;

create function sourcing.await_releases_of_rfq() returns trigger
language plpgsql as $$
begin
  perform sourcing.note_awaited_releases(new.id, null, new.updated_at);
  return null;
end $$;

create function sourcing.await_release() returns trigger
language plpgsql as $$
declare
  changed record := case tg_op when 'DELETE' then old else new end;
begin
  perform sourcing.note_awaited_releases(changed.rfq_id, changed.org_id, null);
  return null;
end $$;

-- The trigger that ends releases comes before, because its name sorts earlier.
create trigger rfq_releases_awaited after update on sourcing.rfqs
  for each row
  when (new.terms ->> 'confidentialityTerms' is not null and (
    new.state <> old.state or new.part_revision is distinct from old.part_revision
    or (new.ip_owner_org_id = any (new.manufacturer_ids)) <> (old.ip_owner_org_id = any (old.manufacturer_ids))))
  execute function sourcing.await_releases_of_rfq();
create trigger invitation_release_awaited after update on sourcing.rfq_invitations
  for each row
  when (new.awaits_acceptance <> old.awaits_acceptance or (new.state = 'DECLINED') <> (old.state = 'DECLINED'))
  execute function sourcing.await_release();
create trigger release_awaited after insert or update or delete on sourcing.rfq_file_releases
  for each row execute function sourcing.await_release();

insert into sourcing.awaited_releases (rfq_id, org_id, ip_owner_org_id, since)
select rfq_id, org_id, ip_owner_org_id, accepted_at from sourcing.missing_releases;

grant select, insert, update, delete on sourcing.awaited_releases to marketplace_sourcing;
grant select on sourcing.missing_releases to marketplace_sourcing;

-- Whether the pinned revision of an order has files of the group `ip`, which never changes.
alter table sourcing.orders add column has_ip_files boolean not null default false;

create function sourcing.write_order_ip_files() returns trigger
language plpgsql as $$
begin
  new.has_ip_files := sourcing.has_ip_files(new.part_id, new.part_revision, null);
  return new;
end $$;

create trigger order_ip_files before insert on sourcing.orders
  for each row execute function sourcing.write_order_ip_files();

update sourcing.orders set has_ip_files = true
where state in ('PLACED', 'CONFIRMED', 'IN_PRODUCTION', 'INSPECTION', 'ON_HOLD') and sourcing.has_ip_files(part_id, part_revision, null);
create index orders_to_release on sourcing.orders (ip_owner_org_id, created_at desc, id desc)
  where has_ip_files and files_released_at is null and ip_owner_org_id not in (consumer_org_id, manufacturer_org_id)
    and state in ('PLACED', 'CONFIRMED', 'IN_PRODUCTION', 'INSPECTION', 'ON_HOLD');

-- Each RFQ once, by the manufacturer that waits for the shortest time. A release is possible until 30 days after the
-- end of the time for offers. The planner expects most rows to match the subquery, so it reads a page in order.
create view sourcing.inbox_unreleased_rfqs as
select awaited.ip_owner_org_id as org_id, awaited.rfq_id as record_id, null::text as parent_id,
  rfq.owner_part_title as title, awaited.since, case rfq.state when 'OPEN' then rfq.expires_at end as due,
  null::text as for_user_id, null::text as not_user_id
from sourcing.awaited_releases awaited join sourcing.rfqs rfq on rfq.id = awaited.rfq_id
where sourcing.release_ends_at(rfq.state, rfq.state_since, rfq.expires_at) > now() and (
  select newest.org_id = awaited.org_id from sourcing.awaited_releases newest
  where newest.rfq_id = awaited.rfq_id order by newest.since desc, newest.org_id desc limit 1);

create view sourcing.inbox_unreleased_orders as
select placed.ip_owner_org_id as org_id, placed.id as record_id, null::text as parent_id,
  (select owner_part_title from sourcing.rfqs where id = placed.rfq_id) as title,
  placed.created_at as since, null::timestamptz as due, null::text as for_user_id, null::text as not_user_id
from sourcing.orders placed
where placed.has_ip_files and placed.files_released_at is null
  and placed.ip_owner_org_id not in (placed.consumer_org_id, placed.manufacturer_org_id)
  and placed.state in ('PLACED', 'CONFIRMED', 'IN_PRODUCTION', 'INSPECTION', 'ON_HOLD');

grant select on sourcing.inbox_unreleased_rfqs, sourcing.inbox_unreleased_orders to marketplace_sourcing;

create or replace view sourcing.waiting_items as
select org_id, 'INVITATION' as kind from sourcing.inbox_invitations
union all select org_id, 'QUESTION' from sourcing.inbox_consumer_questions
union all select org_id, 'QUESTION' from sourcing.inbox_owner_questions where org_id <> consumer_org_id
union all select org_id, 'OUTDATED_OFFER' from sourcing.inbox_outdated_offers
union all select org_id, 'OFFERS_TO_COMPARE' from sourcing.inbox_closed_rfqs
union all select org_id, 'OFFERS_TO_COMPARE' from sourcing.inbox_offered_rfqs
union all select org_id, 'PART_CHANGED' from sourcing.inbox_changed_parts
union all select org_id, 'FILES_TO_RELEASE' from sourcing.inbox_unreleased_rfqs
union all select org_id, 'FILES_TO_RELEASE' from sourcing.inbox_unreleased_orders
union all select org_id, 'ORDER_TO_CONFIRM' from sourcing.inbox_placed_orders
union all select org_id, 'DOCUMENTS_MISSING' from sourcing.inbox_undocumented_orders
union all select org_id, 'ORDER_TO_RECEIVE' from sourcing.inbox_shipped_orders
union all select org_id, 'TASK' from sourcing.inbox_tasks_of_organizations
union all select org_id, 'TASK' from sourcing.inbox_tasks_of_users
union all select org_id, 'EXPENSE_TO_DECIDE' from sourcing.inbox_expenses_of_others
union all select org_id, 'EXPENSE_TO_DECIDE' from sourcing.inbox_own_expenses
union all select org_id, 'UNREAD_MESSAGES' from sourcing.inbox_unread_cases
union all select org_id, 'SUBSCRIPTION_REQUEST' from sourcing.inbox_subscription_requests;

-- An IP owner that was invited after its own case was opened has a conversation with the consumer, too. Its own case no
-- longer follows the RFQ. The ids have the time of that case, and a random part of their own.
with own as (
  update sourcing.cases followed set follows_rfq = false
  from sourcing.rfqs rfq
  where rfq.id = followed.rfq_id and rfq.state in ('OPEN', 'CLOSED') and followed.follows_rfq
    and followed.org_id = rfq.ip_owner_org_id and followed.org_id <> rfq.consumer_org_id
    and followed.party_org_ids = array[followed.org_id] and exists (
      select from sourcing.rfq_invitations
      where rfq_id = rfq.id and org_id = followed.org_id and state <> 'DECLINED')
  returning followed.id, followed.title, followed.rfq_id, followed.org_id, rfq.consumer_org_id, followed.created_at,
    followed.updated_at
)
select id, title, rfq_id, org_id, consumer_org_id, created_at, updated_at into temporary conversations_to_open from own;
insert into sourcing.cases (id, kind, state, title, rfq_id, org_id, party_org_ids, follows_rfq, created_at, updated_at)
select left(id, 15) || upper(left(md5(id || random()), 16)), 'SOURCING', 'OPEN', title, rfq_id, org_id,
  array[org_id, consumer_org_id], true, created_at, updated_at
from conversations_to_open;
drop table conversations_to_open;
