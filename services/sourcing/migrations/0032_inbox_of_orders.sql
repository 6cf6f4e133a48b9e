-- What waits about orders: shipments to receive, remakes and changes to decide, offers that are asked for again,
-- missing quantities, and proposed sales agreements. The titles are those of the pinned revision.
drop index sourcing.orders_to_receive;

create view sourcing.inbox_shipments as
select shipment.consumer_org_id as org_id, shipment.id as record_id, shipment.order_id as parent_id,
  (select rfq.part_title from sourcing.orders placed join sourcing.rfqs rfq on rfq.id = placed.rfq_id
    where placed.id = shipment.order_id) as title,
  shipment.created_at as since, null::timestamptz as due, null::text as for_user_id, null::text as not_user_id
from sourcing.shipments shipment where shipment.state <> 'RECEIVED';

create view sourcing.inbox_remakes as
select placed.consumer_org_id as org_id, placed.id as record_id, null::text as parent_id,
  (select part_title from sourcing.rfqs where id = placed.rfq_id) as title,
  placed.remake_proposed_at as since, null::timestamptz as due, null::text as for_user_id, null::text as not_user_id
from sourcing.orders placed where placed.proposed_remake_quantity is not null;

-- Rejected pieces of which the manufacturer has not proposed to make them again.
create index orders_with_open_rejection on sourcing.orders (manufacturer_org_id, updated_at desc, id desc)
  where rejected_quantity > remade_quantity and proposed_remake_quantity is null and state <> 'COMPLETED';

create view sourcing.inbox_rejections as
select placed.manufacturer_org_id as org_id, placed.id as record_id, null::text as parent_id,
  (select part_title from sourcing.rfq_invitations
    where org_id = placed.manufacturer_org_id and rfq_id = placed.rfq_id) as title,
  placed.updated_at as since, null::timestamptz as due, null::text as for_user_id, null::text as not_user_id
from sourcing.orders placed
where placed.rejected_quantity > placed.remade_quantity and placed.proposed_remake_quantity is null
  and placed.state <> 'COMPLETED';

create view sourcing.inbox_changes_by_manufacturers as
select request.decider_org_id as org_id, request.id as record_id, request.order_id as parent_id,
  (select rfq.part_title from sourcing.orders placed join sourcing.rfqs rfq on rfq.id = placed.rfq_id
    where placed.id = request.order_id) as title,
  request.created_at as since, null::timestamptz as due, null::text as for_user_id, null::text as not_user_id
from sourcing.change_requests request where request.state = 'PROPOSED' and request.side = 'MANUFACTURER';

create view sourcing.inbox_changes_by_consumers as
select request.decider_org_id as org_id, request.id as record_id, request.order_id as parent_id,
  (select invitation.part_title from sourcing.orders placed
    join sourcing.rfq_invitations invitation
      on invitation.org_id = placed.manufacturer_org_id and invitation.rfq_id = placed.rfq_id
    where placed.id = request.order_id) as title,
  request.created_at as since, null::timestamptz as due, null::text as for_user_id, null::text as not_user_id
from sourcing.change_requests request where request.state = 'PROPOSED' and request.side = 'CONSUMER';

create view sourcing.inbox_lost_offers as
select offer.manufacturer_org_id as org_id, offer.id as record_id, offer.rfq_id as parent_id,
  (select part_title from sourcing.rfq_invitations
    where org_id = offer.manufacturer_org_id and rfq_id = offer.rfq_id) as title,
  offer.reinstatement_asked_at as since, offer.valid_until as due, null::text as for_user_id, null::text as not_user_id
from sourcing.offers offer where offer.state = 'REJECTED' and offer.reinstatement_asked_at is not null and offer.valid_until > now();

create index rfqs_with_missing_quantity on sourcing.rfqs (consumer_org_id, updated_at desc, id desc)
  where missing_quantity is not null;

create view sourcing.inbox_missing_quantities as
select consumer_org_id as org_id, id as record_id, null::text as parent_id, part_title as title, updated_at as since,
  null::timestamptz as due, null::text as for_user_id, null::text as not_user_id
from sourcing.rfqs where missing_quantity is not null;

create view sourcing.inbox_agreements_of_sellers as
select manufacturer_org_id as org_id, id as record_id, null::text as parent_id,
  (select name from organization.org_directory where org_id = seller_org_id) as title, created_at as since,
  null::timestamptz as due, null::text as for_user_id, null::text as not_user_id
from sourcing.sales_agreements where state = 'PROPOSED' and proposed_by_org_id = seller_org_id;

create view sourcing.inbox_agreements_of_manufacturers as
select seller_org_id as org_id, id as record_id, null::text as parent_id,
  (select name from organization.org_directory where org_id = manufacturer_org_id) as title, created_at as since,
  null::timestamptz as due, null::text as for_user_id, null::text as not_user_id
from sourcing.sales_agreements where state = 'PROPOSED' and proposed_by_org_id = manufacturer_org_id;

grant select on sourcing.inbox_shipments, sourcing.inbox_remakes, sourcing.inbox_rejections, sourcing.inbox_changes_by_manufacturers,
  sourcing.inbox_changes_by_consumers, sourcing.inbox_lost_offers, sourcing.inbox_missing_quantities,
  sourcing.inbox_agreements_of_sellers, sourcing.inbox_agreements_of_manufacturers
to marketplace_sourcing;

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
union all select org_id, 'SHIPMENT_TO_RECEIVE' from sourcing.inbox_shipments
union all select org_id, 'REMAKE_TO_DECIDE' from sourcing.inbox_remakes
union all select org_id, 'REJECTION_TO_ANSWER' from sourcing.inbox_rejections
union all select org_id, 'CHANGE_TO_DECIDE' from sourcing.inbox_changes_by_manufacturers
union all select org_id, 'CHANGE_TO_DECIDE' from sourcing.inbox_changes_by_consumers
union all select org_id, 'OFFER_TO_REINSTATE' from sourcing.inbox_lost_offers
union all select org_id, 'QUANTITY_MISSING' from sourcing.inbox_missing_quantities
union all select org_id, 'AGREEMENT_TO_ACCEPT' from sourcing.inbox_agreements_of_sellers
union all select org_id, 'AGREEMENT_TO_ACCEPT' from sourcing.inbox_agreements_of_manufacturers
union all select org_id, 'TASK' from sourcing.inbox_tasks_of_organizations
union all select org_id, 'TASK' from sourcing.inbox_tasks_of_users
union all select org_id, 'EXPENSE_TO_DECIDE' from sourcing.inbox_expenses_of_others
union all select org_id, 'EXPENSE_TO_DECIDE' from sourcing.inbox_own_expenses
union all select org_id, 'UNREAD_MESSAGES' from sourcing.inbox_unread_cases
union all select org_id, 'SUBSCRIPTION_REQUEST' from sourcing.inbox_subscription_requests;
drop view sourcing.inbox_shipped_orders;
