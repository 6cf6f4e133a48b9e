-- A seller consents to sell what a manufacturer makes, for a fee that the consumer pays.
create table sourcing.sales_agreements (
  id text collate "C" primary key,
  manufacturer_org_id text not null,
  seller_org_id text not null,
  fee_percent numeric(5, 2) not null check (fee_percent between 0 and 100),
  state text not null check (state in ('PROPOSED', 'ACTIVE', 'ENDED')),
  -- The organization that proposed it; the other one accepts it.
  proposed_by_org_id text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  check (manufacturer_org_id <> seller_org_id),
  check (proposed_by_org_id in (manufacturer_org_id, seller_org_id)),
  -- The public JSON of the agreement, built on write.
  document text not null
);
create index sales_agreements_of_manufacturers on sourcing.sales_agreements (manufacturer_org_id, id desc);
create index sales_agreements_of_sellers on sourcing.sales_agreements (seller_org_id, id desc);
create unique index sales_agreements_live on sourcing.sales_agreements (manufacturer_org_id, seller_org_id)
  where state in ('PROPOSED', 'ACTIVE');
create index sales_agreements_proposed_by on sourcing.sales_agreements (proposed_by_org_id) where state in ('PROPOSED', 'ACTIVE');
-- The inbox of the organization that decides.
create index sales_agreements_to_manufacturers on sourcing.sales_agreements (manufacturer_org_id, created_at desc, id desc)
  where state = 'PROPOSED' and proposed_by_org_id = seller_org_id;
create index sales_agreements_to_sellers on sourcing.sales_agreements (seller_org_id, created_at desc, id desc)
  where state = 'PROPOSED' and proposed_by_org_id = manufacturer_org_id;

-- The only code that builds the JSON of an agreement.
create function sourcing.write_sales_agreement_document() returns trigger
language plpgsql as $$
begin
  new.document := concat(
    '{"id":', to_json(new.id),
    ',"manufacturerOrgId":', to_json(new.manufacturer_org_id),
    ',"sellerOrgId":', to_json(new.seller_org_id),
    ',"feePercent":', to_json(new.fee_percent::text),
    ',"state":', to_json(new.state),
    ',"proposedByOrgId":', to_json(new.proposed_by_org_id),
    ',"createdTime":', to_json(sourcing.api_time(new.created_at)),
    ',"updatedTime":', to_json(sourcing.api_time(new.updated_at)),
    '}');
  return new;
end $$;

create trigger sales_agreement_document before insert or update on sourcing.sales_agreements
  for each row execute function sourcing.write_sales_agreement_document();

grant select, insert, update on sourcing.sales_agreements to marketplace_sourcing;

alter table sourcing.orders
  -- The fee of the seller, of the agreement at the time of the award. Null where the manufacturer sells.
  add column seller_fee numeric check (seller_fee >= 0),
  -- The public JSON with the fee, for consumer, manufacturer and seller. Null where there is no fee.
  add column fee_document text;

create function sourcing.write_order_fee_document() returns trigger
language plpgsql as $$
begin
  new.fee_document := case when new.seller_fee is not null then
    sourcing.with_field(new.document::json, 'sellerFee', sourcing.money_json(new.seller_fee, new.currency)::json)::text end;
  return new;
end $$;

-- Triggers run in the order of their names: after the trigger `order_document`, which builds the JSON without the fee.
create trigger order_fee_document before insert or update on sourcing.orders
  for each row execute function sourcing.write_order_fee_document();
