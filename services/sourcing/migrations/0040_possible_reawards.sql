-- What waits after the loss of an order can be done: missing pieces while an offer for them stands or is asked for, and
-- a lost offer while it is for the current version of its RFQ.
create or replace view sourcing.inbox_missing_quantities as
select consumer_org_id as org_id, id as record_id, null::text as parent_id, part_title as title, updated_at as since,
  null::timestamptz as due, null::text as for_user_id, null::text as not_user_id
from sourcing.rfqs
where missing_quantity is not null and (
  select true from sourcing.offers offer
  where offer.rfq_id = rfqs.id and offer.valid_until > now() and (offer.state in ('SUBMITTED', 'ACCEPTED')
    or offer.state = 'REJECTED' and offer.reinstatement_asked_at is not null)
  limit 1);

create or replace view sourcing.inbox_lost_offers as
select offer.manufacturer_org_id as org_id, offer.id as record_id, offer.rfq_id as parent_id,
  (select part_title from sourcing.rfq_invitations
    where org_id = offer.manufacturer_org_id and rfq_id = offer.rfq_id) as title,
  offer.reinstatement_asked_at as since, offer.valid_until as due, null::text as for_user_id, null::text as not_user_id
from sourcing.offers offer
where offer.state = 'REJECTED' and offer.reinstatement_asked_at is not null and offer.valid_until > now()
  and offer.rfq_version = (select version from sourcing.rfqs where id = offer.rfq_id);
