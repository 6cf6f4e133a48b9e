-- Writes an amount without trailing zeros and with at least two decimals, as `money.ts` does.
create function sourcing.api_amount(amount numeric) returns text
language sql immutable strict parallel safe
return case when scale(trim_scale(amount)) < 2 then round(amount, 2) else trim_scale(amount) end::text;

create function sourcing.money_json(amount numeric, currency text) returns text
language sql immutable strict parallel safe
return concat('{"amount":"', sourcing.api_amount(amount), '","currency":', to_json(currency), '}');

create table sourcing.offers (
  id text collate "C" primary key,
  rfq_id text collate "C" not null references sourcing.rfqs (id),
  part_id text collate "C" not null,
  manufacturer_org_id text not null,
  consumer_org_id text not null,
  ip_owner_org_id text not null,
  factory_id text collate "C" not null,
  state text not null check (
    state in ('DRAFT', 'SUBMITTED', 'ACCEPTED', 'REJECTED', 'WITHDRAWN', 'EXPIRED', 'SUPERSEDED')),
  currency text not null,
  -- [{minQuantity, unitPrice, leadTimeDays}], ascending by minQuantity; the price is a decimal string.
  price_breaks jsonb not null,
  tooling_cost numeric(16, 4) check (tooling_cost >= 0),
  shipping_cost numeric(16, 4) check (shipping_cost >= 0),
  valid_until timestamptz(3) not null,
  revision integer not null,
  -- The offer that a revision supersedes when it is submitted.
  previous_offer_id text collate "C" references sourcing.offers (id),
  notes text,
  -- The reason of the rejection or withdrawal.
  reason text,
  created_at timestamptz(3) not null,
  -- Before the submission, only the manufacturer sees the offer.
  submitted_at timestamptz(3),
  updated_at timestamptz(3) not null,
  check ((state = 'DRAFT') = (submitted_at is null)),
  -- Whether consumer and IP owner do not see prices now: the RFQ is sealed and OPEN. Triggers set it.
  concealed boolean not null,
  -- Whether consumer and IP owner could see the prices before, so that the next time the RFQ closes shows them again.
  opened boolean not null default false,
  -- Whether the IP owner does not see the offer now: it is invited itself, and the RFQ has not ended. Triggers set it.
  hidden_from_ip_owner boolean not null,
  -- The public JSON of the offer for its manufacturer, and for consumer and IP owner of the RFQ.
  document text not null,
  party_document text not null
);

-- One index for each view and filter, so that the time of a list depends neither on the number of offers of the
-- organization nor on those of others.
create index offers_made on sourcing.offers (manufacturer_org_id, id desc);
create index offers_made_states on sourcing.offers (manufacturer_org_id, state, id desc);
create index offers_made_parts on sourcing.offers (manufacturer_org_id, part_id, id desc);
create index offers_made_rfqs on sourcing.offers (manufacturer_org_id, rfq_id, id desc);
create index offers_made_others on sourcing.offers (manufacturer_org_id, id desc) where state <> 'ACCEPTED';
create index offers_received on sourcing.offers (consumer_org_id, id desc) where submitted_at is not null;
create index offers_received_states on sourcing.offers (consumer_org_id, state, id desc) where submitted_at is not null;
create index offers_received_parts on sourcing.offers (consumer_org_id, part_id, id desc) where submitted_at is not null;
create index offers_received_rfqs on sourcing.offers (consumer_org_id, rfq_id, id desc) where submitted_at is not null;
create index offers_received_others on sourcing.offers (consumer_org_id, id desc)
  where submitted_at is not null and state <> 'ACCEPTED';
create index offers_owned on sourcing.offers (ip_owner_org_id, id desc)
  where submitted_at is not null and not hidden_from_ip_owner;
create index offers_owned_states on sourcing.offers (ip_owner_org_id, state, id desc)
  where submitted_at is not null and not hidden_from_ip_owner;
create index offers_owned_parts on sourcing.offers (ip_owner_org_id, part_id, id desc)
  where submitted_at is not null and not hidden_from_ip_owner;
create index offers_owned_rfqs on sourcing.offers (ip_owner_org_id, rfq_id, id desc)
  where submitted_at is not null and not hidden_from_ip_owner;
create index offers_owned_others on sourcing.offers (ip_owner_org_id, id desc)
  where submitted_at is not null and not hidden_from_ip_owner and state <> 'ACCEPTED';
-- The offers of an RFQ, for its award, its cancellation and its comparison.
create index offers_of_rfq on sourcing.offers (rfq_id, state, id desc);
-- An offer has one draft revision at most.
create unique index offers_draft_revision on sourcing.offers (previous_offer_id) where state = 'DRAFT';
-- The worker of expiries reads this index.
create index offers_due on sourcing.offers (valid_until) where state = 'SUBMITTED';

-- The only code that builds the JSON of an offer.
create function sourcing.offer_document(offer sourcing.offers, concealed boolean) returns text
language sql stable parallel safe
return concat(
  '{"id":', to_json(offer.id),
  ',"rfqId":', to_json(offer.rfq_id),
  ',"partId":', to_json(offer.part_id),
  ',"manufacturerOrgId":', to_json(offer.manufacturer_org_id),
  ',"factoryId":', to_json(offer.factory_id),
  ',"state":', to_json(offer.state),
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
    ',"notes":' || to_json(offer.notes)::text,
    ',"reason":' || to_json(offer.reason)::text) end,
  ',"validUntil":', to_json(sourcing.api_time(offer.valid_until)),
  ',"revision":', offer.revision,
  ',"createdTime":', to_json(sourcing.api_time(offer.created_at)),
  ',"submittedTime":' || to_json(sourcing.api_time(offer.submitted_at))::text,
  '}');

create function sourcing.write_offer_documents() returns trigger
language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.concealed := (select sealed and state = 'OPEN' from sourcing.rfqs where id = new.rfq_id);
    new.hidden_from_ip_owner := new.ip_owner_org_id not in (new.manufacturer_org_id, new.consumer_org_id) and exists (
      select from sourcing.rfq_invitations
      where rfq_id = new.rfq_id and org_id = new.ip_owner_org_id and rfq_state in ('OPEN', 'CLOSED'));
  end if;
  new.document := sourcing.offer_document(new, false);
  new.party_document := case when new.concealed then sourcing.offer_document(new, true) else new.document end;
  return new;
end $$;

create trigger offer_documents before insert or update on sourcing.offers
  for each row execute function sourcing.write_offer_documents();

-- The prices of a sealed RFQ become visible when it closes, except those of offers that were withdrawn or superseded
-- before, and are hidden again when it is reopened. The award or cancellation shows all offers to an IP owner that is
-- invited itself.
create function sourcing.conceal_offers() returns trigger
language plpgsql as $$
declare
  conceals boolean := new.sealed and new.state = 'OPEN';
  has_ended boolean := new.state in ('AWARDED', 'CANCELLED');
begin
  update sourcing.offers set opened = opened or not concealed,
    concealed = conceals or concealed and not opened and state in ('WITHDRAWN', 'SUPERSEDED'),
    hidden_from_ip_owner = hidden_from_ip_owner and not has_ended
  where rfq_id = new.id and (concealed <> conceals or hidden_from_ip_owner and has_ended);
  return null;
end $$;

create trigger rfq_concealment after update on sourcing.rfqs
  for each row when (new.state <> old.state) execute function sourcing.conceal_offers();

-- From its invitation on, an IP owner does not see the offers of its competitors.
create function sourcing.hide_offers() returns trigger
language plpgsql as $$
begin
  update sourcing.offers set hidden_from_ip_owner = true
  where rfq_id = new.rfq_id and ip_owner_org_id = new.org_id and new.org_id not in (manufacturer_org_id, consumer_org_id);
  return null;
end $$;

create trigger invitation_hides_offers after insert on sourcing.rfq_invitations
  for each row when (new.rfq_state in ('OPEN', 'CLOSED')) execute function sourcing.hide_offers();

grant select, insert, update on sourcing.offers to marketplace_sourcing;
