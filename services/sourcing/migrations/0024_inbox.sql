-- The inbox: what waits for an organization. Each kind of item is one view, which an index of its organization serves,
-- newest first. The columns are the same: the organization; the record; the record that it belongs to; the title as the
-- organization may read it; since when it waits; until when it should be done; `for_user_id`, the only user for whom it
-- waits; and `not_user_id`, a user for whom it does not wait.

alter table sourcing.rfqs
  -- The time of the oldest question that waits for an answer.
  add column unanswered_since timestamptz(3),
  -- When the part was found to have changed.
  add column part_changed_since timestamptz(3);
update sourcing.rfqs rfq set unanswered_since = (
  select min(created_at) from sourcing.rfq_questions where rfq_id = rfq.id and state = 'ASKED')
where unanswered_questions > 0;
update sourcing.rfqs set part_changed_since = updated_at where part_changed;
create index rfqs_unanswered on sourcing.rfqs (consumer_org_id, unanswered_since desc, id desc)
  where unanswered_questions > 0;
create index rfqs_unanswered_owned on sourcing.rfqs (ip_owner_org_id, unanswered_since desc, id desc)
  where unanswered_questions > 0;
create index rfqs_outdated on sourcing.rfqs (consumer_org_id, part_changed_since desc, id desc)
  where part_changed and state = 'OPEN';
create index rfqs_to_compare on sourcing.rfqs (consumer_org_id, state_since desc, id desc) where state = 'CLOSED';
create index rfq_invitations_unanswered on sourcing.rfq_invitations (org_id, invited_at desc, rfq_id desc)
  where state in ('INVITED', 'READ') and rfq_state = 'OPEN' and not expired;

-- When an amendment of the RFQ made the offer outdated.
alter table sourcing.offers add column outdated_since timestamptz(3);
update sourcing.offers offer set outdated_since = rfq.updated_at
from sourcing.rfqs rfq where rfq.id = offer.rfq_id and offer.outdated;
create index offers_outdated on sourcing.offers (manufacturer_org_id, outdated_since desc, id desc)
  where state = 'SUBMITTED' and outdated;
create index offers_to_compare on sourcing.offers (consumer_org_id, submitted_at desc, id desc)
  where state = 'SUBMITTED' and not concealed;
create index offers_newest on sourcing.offers (rfq_id, submitted_at desc, id desc) where state = 'SUBMITTED';

create or replace function sourcing.outdate_offers() returns trigger
language plpgsql as $$
begin
  update sourcing.offers set outdated = true, outdated_since = new.updated_at
  where rfq_id = new.id and state = 'SUBMITTED' and rfq_version < new.version and not outdated;
  return null;
end $$;

alter table sourcing.orders
  -- The time of the last change of the state.
  add column state_since timestamptz(3),
  -- Whether a document that the RFQ requires is missing. Triggers set it.
  add column documents_missing boolean not null default false;

create function sourcing.write_order_state_since() returns trigger
language plpgsql as $$
begin
  if tg_op = 'INSERT' or new.state <> old.state then
    new.state_since := new.updated_at;
  end if;
  if tg_op = 'INSERT' then
    new.documents_missing := coalesce((
      select json_array_length(terms -> 'requiredDocuments') > 0 from sourcing.rfqs where id = new.rfq_id), false);
  end if;
  return new;
end $$;

create trigger order_state_since before insert or update on sourcing.orders
  for each row execute function sourcing.write_order_state_since();

-- Whether a kind of document that the RFQ of an order requires is missing: neither manufacturer nor seller has added it.
create function sourcing.misses_documents(placed sourcing.orders) returns boolean
language sql stable
return exists (
  select from sourcing.rfqs rfq
  cross join json_array_elements_text(rfq.terms -> 'requiredDocuments') required
  where rfq.id = placed.rfq_id and not exists (
    select from sourcing.files document
    where document.record_id = placed.id and document.document_kind = required and document.state = 'READY'
      and document.superseded_by is null and document.org_id in (placed.manufacturer_org_id, placed.seller_org_id)));

-- The commands and jobs that change a document have locked its order.
create function sourcing.note_missing_documents() returns trigger
language plpgsql as $$
begin
  update sourcing.orders placed set documents_missing = sourcing.misses_documents(placed)
  where placed.id = coalesce(new.record_id, old.record_id)
    and placed.documents_missing <> sourcing.misses_documents(placed);
  return null;
end $$;

create trigger order_document_added after insert or update on sourcing.files
  for each row when (new.record_kind = 'order') execute function sourcing.note_missing_documents();
create trigger order_document_removed after delete on sourcing.files
  for each row when (old.record_kind = 'order') execute function sourcing.note_missing_documents();

update sourcing.orders placed set state_since = updated_at, documents_missing = sourcing.misses_documents(placed);
create index orders_to_confirm on sourcing.orders (manufacturer_org_id, state_since desc, id desc) where state = 'PLACED';
create index orders_to_document on sourcing.orders (manufacturer_org_id, state_since desc, id desc)
  where documents_missing and state in ('CONFIRMED', 'IN_PRODUCTION', 'INSPECTION');
create index orders_to_receive on sourcing.orders (consumer_org_id, state_since desc, id desc) where state = 'SHIPPED';

create index subscriptions_requested on sourcing.subscriptions (ip_owner_org_id, created_at desc, id desc)
  where state = 'REQUESTED';

create index case_parties_unread on sourcing.case_parties (org_id, unread_since desc, case_id desc)
  where unread_count > 0;
create index case_work_of_organizations on sourcing.case_work (org_id, since desc, id desc)
  where kind = 'task' and state = 'OPEN' and is_case_open and is_assignee and assignee_user_id is null;
create index case_work_of_users on sourcing.case_work (org_id, assignee_user_id, since desc, id desc)
  where kind = 'task' and state = 'OPEN' and is_case_open and is_assignee
    and assignee_user_id is not null;
create index case_work_of_others on sourcing.case_work (org_id, since desc, id desc)
  where kind = 'expense' and state = 'PROPOSED' and is_case_open and by_org_id <> org_id;
create index case_work_alone on sourcing.case_work (org_id, since desc, id desc)
  where kind = 'expense' and state = 'PROPOSED' and is_case_open and is_alone;

-- The cases that can still be changed as far as their record is concerned, as the commands of cases decide it.
create view sourcing.related_cases as
select id from sourcing.cases about
where case
  when cardinality(party_org_ids) = 1 or rfq_id is null and order_id is null then true
  when order_id is not null then exists (
    select from sourcing.orders placed where placed.id = about.order_id
      and (placed.state not in ('COMPLETED', 'DECLINED', 'CANCELLED') or placed.updated_at > now() - interval '90 days'))
  else exists (
    select from sourcing.rfqs rfq where rfq.id = about.rfq_id
      and (rfq.state in ('OPEN', 'CLOSED') or rfq.state = 'AWARDED' and about.follows_rfq and exists (
        select from sourcing.orders placed
        where placed.rfq_id = rfq.id and placed.manufacturer_org_id = about.org_id
          and (placed.state not in ('COMPLETED', 'DECLINED', 'CANCELLED')
            or placed.updated_at > now() - interval '90 days')))
      and (about.org_id in (rfq.consumer_org_id, rfq.ip_owner_org_id) or not exists (
        select from sourcing.rfq_invitations
        where rfq_id = rfq.id and org_id = about.org_id and state = 'DECLINED')))
end;

create view sourcing.inbox_invitations as
select org_id, rfq_id as record_id, null::text as parent_id, part_title as title, invited_at as since,
  expires_at as due, null::text as for_user_id, null::text as not_user_id
from sourcing.rfq_invitations
where state in ('INVITED', 'READ') and rfq_state = 'OPEN' and not expired;

create view sourcing.inbox_consumer_questions as
select consumer_org_id as org_id, id as record_id, null::text as parent_id, part_title as title,
  unanswered_since as since, null::timestamptz as due, null::text as for_user_id, null::text as not_user_id
from sourcing.rfqs where unanswered_questions > 0;

-- An IP owner that is invited itself answers nothing. `consumer_org_id` tells whether it is the consumer, too.
create view sourcing.inbox_owner_questions as
select ip_owner_org_id as org_id, id as record_id, null::text as parent_id, owner_part_title as title,
  unanswered_since as since, null::timestamptz as due, null::text as for_user_id, null::text as not_user_id,
  consumer_org_id
from sourcing.rfqs where unanswered_questions > 0 and not (ip_owner_org_id = any (manufacturer_ids));

create view sourcing.inbox_outdated_offers as
select offer.manufacturer_org_id as org_id, offer.id as record_id, offer.rfq_id as parent_id,
  invitation.part_title as title, offer.outdated_since as since, invitation.expires_at as due,
  null::text as for_user_id, null::text as not_user_id
from sourcing.offers offer
join sourcing.rfq_invitations invitation
  on invitation.org_id = offer.manufacturer_org_id and invitation.rfq_id = offer.rfq_id
where offer.state = 'SUBMITTED' and offer.outdated and invitation.rfq_state = 'OPEN';

create view sourcing.inbox_closed_rfqs as
select consumer_org_id as org_id, id as record_id, null::text as parent_id, part_title as title,
  state_since as since, null::timestamptz as due, null::text as for_user_id, null::text as not_user_id
from sourcing.rfqs where state = 'CLOSED';

-- Each RFQ once, by its newest offer. Offers for a sealed RFQ that is OPEN are concealed.
create view sourcing.inbox_offered_rfqs as
select offer.consumer_org_id as org_id, rfq.id as record_id, null::text as parent_id, rfq.part_title as title,
  offer.submitted_at as since, rfq.expires_at as due, null::text as for_user_id, null::text as not_user_id
from sourcing.offers offer join sourcing.rfqs rfq on rfq.id = offer.rfq_id
where offer.state = 'SUBMITTED' and not offer.concealed and rfq.state = 'OPEN' and offer.id = (
  select newest.id from sourcing.offers newest
  where newest.rfq_id = offer.rfq_id and newest.state = 'SUBMITTED'
  order by newest.submitted_at desc, newest.id desc limit 1);

create view sourcing.inbox_changed_parts as
select consumer_org_id as org_id, id as record_id, null::text as parent_id, part_title as title,
  part_changed_since as since, expires_at as due, null::text as for_user_id, null::text as not_user_id
from sourcing.rfqs where part_changed and state = 'OPEN';

create view sourcing.inbox_placed_orders as
select placed.manufacturer_org_id as org_id, placed.id as record_id, null::text as parent_id,
  (select part_title from sourcing.rfq_invitations
    where org_id = placed.manufacturer_org_id and rfq_id = placed.rfq_id) as title,
  placed.state_since as since, null::timestamptz as due, null::text as for_user_id, null::text as not_user_id
from sourcing.orders placed where placed.state = 'PLACED';

create view sourcing.inbox_undocumented_orders as
select placed.manufacturer_org_id as org_id, placed.id as record_id, null::text as parent_id,
  (select part_title from sourcing.rfq_invitations
    where org_id = placed.manufacturer_org_id and rfq_id = placed.rfq_id) as title,
  placed.state_since as since, (placed.due_date + 1)::timestamp at time zone 'UTC' - interval '1 millisecond' as due,
  null::text as for_user_id, null::text as not_user_id
from sourcing.orders placed
where placed.documents_missing and placed.state in ('CONFIRMED', 'IN_PRODUCTION', 'INSPECTION');

create view sourcing.inbox_shipped_orders as
select placed.consumer_org_id as org_id, placed.id as record_id, null::text as parent_id,
  (select part_title from sourcing.rfqs where id = placed.rfq_id) as title,
  placed.state_since as since, null::timestamptz as due, null::text as for_user_id, null::text as not_user_id
from sourcing.orders placed where placed.state = 'SHIPPED';

create view sourcing.inbox_tasks_of_organizations as
select org_id, id as record_id, case_id as parent_id,
  (select document::json ->> 'title' from sourcing.subrecords where id = work.id) as title,
  since, due_at as due, null::text as for_user_id, null::text as not_user_id
from sourcing.case_work work
where kind = 'task' and state = 'OPEN' and is_case_open and is_assignee and assignee_user_id is null
  and (is_alone or (select true from sourcing.related_cases where id = work.case_id));

create view sourcing.inbox_tasks_of_users as
select org_id, id as record_id, case_id as parent_id,
  (select document::json ->> 'title' from sourcing.subrecords where id = work.id) as title,
  since, due_at as due, assignee_user_id as for_user_id, null::text as not_user_id
from sourcing.case_work work
where kind = 'task' and state = 'OPEN' and is_case_open and is_assignee and assignee_user_id is not null
  and (is_alone or (select true from sourcing.related_cases where id = work.case_id));

create view sourcing.inbox_expenses_of_others as
select org_id, id as record_id, case_id as parent_id,
  (select document::json ->> 'description' from sourcing.subrecords where id = work.id) as title,
  since, null::timestamptz as due, null::text as for_user_id, null::text as not_user_id
from sourcing.case_work work
where kind = 'expense' and state = 'PROPOSED' and is_case_open and by_org_id <> org_id
  and (is_alone or (select true from sourcing.related_cases where id = work.case_id));

-- The expenses in cases of one party, for its other users.
create view sourcing.inbox_own_expenses as
select org_id, id as record_id, case_id as parent_id,
  (select document::json ->> 'description' from sourcing.subrecords where id = work.id) as title,
  since, null::timestamptz as due, null::text as for_user_id, by_user_id as not_user_id
from sourcing.case_work work
where kind = 'expense' and state = 'PROPOSED' and is_case_open and is_alone;

create view sourcing.inbox_unread_cases as
select org_id, case_id as record_id, null::text as parent_id,
  (select title from sourcing.cases where id = case_id) as title,
  unread_since as since, null::timestamptz as due, null::text as for_user_id, null::text as not_user_id
from sourcing.case_parties where unread_count > 0;

create view sourcing.inbox_subscription_requests as
select ip_owner_org_id as org_id, id as record_id, null::text as parent_id,
  (select content ->> 'title' from sourcing.parts where id = part_id) as title,
  created_at as since, null::timestamptz as due, null::text as for_user_id, null::text as not_user_id
from sourcing.subscriptions where state = 'REQUESTED';

grant select on sourcing.inbox_invitations, sourcing.inbox_consumer_questions, sourcing.inbox_owner_questions,
  sourcing.inbox_outdated_offers, sourcing.inbox_closed_rfqs, sourcing.inbox_offered_rfqs, sourcing.inbox_changed_parts,
  sourcing.inbox_placed_orders, sourcing.inbox_undocumented_orders, sourcing.inbox_shipped_orders,
  sourcing.inbox_tasks_of_organizations, sourcing.inbox_tasks_of_users, sourcing.inbox_expenses_of_others,
  sourcing.inbox_own_expenses, sourcing.inbox_unread_cases, sourcing.inbox_subscription_requests
to marketplace_sourcing;

-- What the daily mails of the service of organizations tell: the kind of each item that waits for an organization. An
-- RFQ whose questions both consumer and IP owner may answer counts once for each organization.
create view sourcing.waiting_items as
select org_id, 'INVITATION' as kind from sourcing.inbox_invitations
union all select org_id, 'QUESTION' from sourcing.inbox_consumer_questions
union all select org_id, 'QUESTION' from sourcing.inbox_owner_questions where org_id <> consumer_org_id
union all select org_id, 'OUTDATED_OFFER' from sourcing.inbox_outdated_offers
union all select org_id, 'OFFERS_TO_COMPARE' from sourcing.inbox_closed_rfqs
union all select org_id, 'OFFERS_TO_COMPARE' from sourcing.inbox_offered_rfqs
union all select org_id, 'PART_CHANGED' from sourcing.inbox_changed_parts
union all select org_id, 'ORDER_TO_CONFIRM' from sourcing.inbox_placed_orders
union all select org_id, 'DOCUMENTS_MISSING' from sourcing.inbox_undocumented_orders
union all select org_id, 'ORDER_TO_RECEIVE' from sourcing.inbox_shipped_orders
union all select org_id, 'TASK' from sourcing.inbox_tasks_of_organizations
union all select org_id, 'TASK' from sourcing.inbox_tasks_of_users
union all select org_id, 'EXPENSE_TO_DECIDE' from sourcing.inbox_expenses_of_others
union all select org_id, 'EXPENSE_TO_DECIDE' from sourcing.inbox_own_expenses
union all select org_id, 'UNREAD_MESSAGES' from sourcing.inbox_unread_cases
union all select org_id, 'SUBSCRIPTION_REQUEST' from sourcing.inbox_subscription_requests;

grant select on sourcing.waiting_items to marketplace_organization;
