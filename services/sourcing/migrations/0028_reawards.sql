-- The quantity of an order that is declined or cancelled is placed again, with offers of the same RFQ.

-- An offer can be awarded again.
alter table sourcing.orders drop constraint orders_offer_id_key;
create index orders_of_offer on sourcing.orders (offer_id);

alter table sourcing.rfqs
  -- The pieces of declined and cancelled orders that were not placed again. Null while nothing is missing.
  add column missing_quantity integer check (missing_quantity > 0);

create or replace function sourcing.write_rfq_document() returns trigger
language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.expires_at <> old.expires_at then
    new.expired := false;
  end if;
  if tg_op = 'INSERT' or new.state <> old.state then
    new.state_since := new.updated_at;
  end if;
  new.document := sourcing.rfq_document(new, new.manufacturer_ids, new.awarded_offer_ids, 'IP_OWNER');
  new.consumer_document := sourcing.rfq_document(new, new.manufacturer_ids, new.awarded_offer_ids, 'CONSUMER');
  if new.missing_quantity is not null then
    new.consumer_document :=
      sourcing.with_field(new.consumer_document::json, 'missingQuantity', to_json(new.missing_quantity))::text;
  end if;
  return new;
end $$;

alter table sourcing.offers
  -- Whether an award of other offers rejected it, and not the consumer.
  add column rejected_by_award boolean not null default false,
  -- When its manufacturer was asked to reinstate it.
  add column reinstatement_asked_at timestamptz(3);
create index offers_to_reinstate on sourcing.offers (manufacturer_org_id, reinstatement_asked_at desc, id desc)
  where state = 'REJECTED' and reinstatement_asked_at is not null;

create or replace function sourcing.offer_document(offer sourcing.offers, concealed boolean) returns text
language sql stable parallel safe
return concat(
  '{"id":', to_json(offer.id),
  ',"rfqId":', to_json(offer.rfq_id),
  ',"partId":', to_json(offer.part_id),
  ',"partRevision":' || offer.part_revision,
  ',"rfqVersion":' || offer.rfq_version,
  ',"manufacturerOrgId":', to_json(offer.manufacturer_org_id),
  ',"factoryId":', to_json(offer.factory_id),
  ',"state":', to_json(offer.state),
  case when offer.outdated and offer.state = 'SUBMITTED' then ',"isOutdated":true' end,
  case when offer.state = 'REJECTED'
    then ',"reinstatementAskedTime":' || to_json(sourcing.api_time(offer.reinstatement_asked_at))::text end,
  case when not offer_document.concealed then concat(
    ',"priceBreaks":[', (
      select string_agg(concat(
        '{"minQuantity":', line -> 'minQuantity',
        ',"unitPrice":', sourcing.money_json((line ->> 'unitPrice')::numeric, offer.currency),
        ',"leadTimeDays":', line -> 'leadTimeDays', '}'), ',' order by place)
      from jsonb_array_elements(offer.price_breaks) with ordinality b (line, place)),
    ']',
    ',"toolingCost":' || sourcing.money_json(offer.tooling_cost, offer.currency),
    ',"shippingCost":' || sourcing.money_json(offer.shipping_cost, offer.currency),
    ',"reference":' || to_json(offer.reference)::text,
    ',"paymentTerms":' || to_json(offer.payment_terms)::text,
    ',"notes":' || to_json(offer.notes)::text,
    ',"reason":' || to_json(offer.reason)::text) end,
  ',"validUntil":', to_json(sourcing.api_time(offer.valid_until)),
  ',"revision":', offer.revision,
  ',"createdTime":', to_json(sourcing.api_time(offer.created_at)),
  ',"submittedTime":' || to_json(sourcing.api_time(offer.submitted_at))::text,
  '}');

-- The award of others is no change of the RFQ of a manufacturer, which would learn of them by its time.
create or replace function sourcing.update_invitations() returns trigger
language plpgsql as $$
begin
  update sourcing.rfq_invitations i set
    rfq_state = new.state, expires_at = new.expires_at, expired = new.expired, part_revision = new.part_revision,
    -- A manufacturer that declined reads no later revision.
    part_title = case when new.part_revision is distinct from old.part_revision and i.state <> 'DECLINED'
      then sourcing.invited_title(new) else i.part_title end,
    -- One that declined reads the state, and nothing that was changed since.
    document = case
      when i.state = 'DECLINED' then sourcing.with_field(i.document::json, 'state', to_json(new.state))::text
      when row(new.state, new.expires_at, new.version) is distinct from row(old.state, old.expires_at, old.version)
        or new.awarded_offer_ids <> old.awarded_offer_ids
          and (i.document::json -> 'awardedOfferIds')::text <> to_json(i.awarded_offer_ids)::text
      then sourcing.rfq_document(new, array[i.org_id], i.awarded_offer_ids, 'INVITEE') else i.document end
  where i.rfq_id = new.id;
  return null;
end $$;

-- An RFQ whose award fell apart has not ended any more, so the offers are hidden again from an IP owner that is
-- invited.
create or replace function sourcing.conceal_offers() returns trigger
language plpgsql as $$
declare
  conceals boolean := new.sealed and new.state = 'OPEN';
  has_ended boolean := new.state in ('AWARDED', 'CANCELLED');
  is_returned boolean := old.state = 'AWARDED' and new.ip_owner_org_id = any (new.manufacturer_ids);
begin
  update sourcing.offers set opened = opened or not concealed,
    concealed = conceals or concealed and not opened and state in ('WITHDRAWN', 'SUPERSEDED'),
    hidden_from_ip_owner = not has_ended and (hidden_from_ip_owner
      or is_returned and ip_owner_org_id not in (manufacturer_org_id, consumer_org_id))
  where rfq_id = new.id and (concealed <> conceals or hidden_from_ip_owner and has_ended or is_returned);
  return null;
end $$;

-- Offers that exist were rejected by the award if they were changed with it, in one transaction with one time.
update sourcing.offers offer set rejected_by_award = true
from sourcing.orders placed
where placed.rfq_id = offer.rfq_id and offer.state = 'REJECTED' and offer.updated_at = placed.created_at;
