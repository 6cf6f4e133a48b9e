-- An order is shipped in one or several shipments, each of which the consumer receives. Pieces that it rejects are made
-- again or settled.
alter table sourcing.orders
  -- The sums of its shipments. Rejected pieces include missing ones.
  add column shipped_quantity integer not null default 0 check (shipped_quantity >= 0),
  add column accepted_quantity integer not null default 0 check (accepted_quantity >= 0),
  add column rejected_quantity integer not null default 0 check (rejected_quantity >= 0),
  -- The rejected pieces that are made again, and those that the manufacturer proposes to make again.
  add column remade_quantity integer not null default 0 check (remade_quantity >= 0),
  add column proposed_remake_quantity integer check (proposed_remake_quantity > 0),
  add column remake_proposed_at timestamptz(3),
  -- When everything had arrived.
  add column arrived_at timestamptz(3),
  -- What the consumer pays for the accepted pieces of an order that it completed with a settlement.
  add column settled_total numeric check (settled_total >= 0),
  -- What the consumer pays for an order that both sides agreed to cancel.
  add column cancellation_fee numeric(16, 4) check (cancellation_fee >= 0),
  add check (shipped_quantity <= quantity::bigint + remade_quantity) not valid,
  add check (accepted_quantity::bigint + rejected_quantity <= shipped_quantity) not valid,
  add check (remade_quantity::bigint + coalesce(proposed_remake_quantity, 0) <= rejected_quantity) not valid;

create index orders_with_proposed_remake on sourcing.orders (consumer_org_id, remake_proposed_at desc, id desc)
  where proposed_remake_quantity is not null;

create or replace function sourcing.write_order_document() returns trigger
language plpgsql as $$
begin
  new.document := concat(
    '{"id":', to_json(new.id),
    ',"serialNumber":', to_json(new.serial_number),
    ',"rfqId":', to_json(new.rfq_id),
    ',"offerId":', to_json(new.offer_id),
    ',"partId":', to_json(new.part_id),
    ',"partRevision":' || new.part_revision,
    ',"factoryId":', to_json(new.factory_id),
    ',"consumerOrgId":', to_json(new.consumer_org_id),
    ',"ipOwnerOrgId":', to_json(new.ip_owner_org_id),
    ',"manufacturerOrgId":', to_json(new.manufacturer_org_id),
    ',"sellerOrgId":', to_json(new.seller_org_id),
    ',"distributorOrgId":' || to_json(new.distributor_org_id)::text,
    ',"state":', to_json(new.state),
    ',"purchaseOrderNumber":' || to_json(new.purchase_order_number)::text,
    ',"quantity":', new.quantity,
    ',"shippedQuantity":' || nullif(new.shipped_quantity, 0),
    case when new.accepted_quantity > 0 or new.rejected_quantity > 0 then concat(
      ',"acceptedQuantity":', new.accepted_quantity,
      ',"rejectedQuantity":', new.rejected_quantity) end,
    ',"remadeQuantity":' || nullif(new.remade_quantity, 0),
    ',"proposedRemakeQuantity":' || new.proposed_remake_quantity,
    ',"unitPrice":', sourcing.money_json(new.unit_price, new.currency),
    ',"toolingCost":' || sourcing.money_json(new.tooling_cost, new.currency),
    ',"shippingCost":' || sourcing.money_json(new.shipping_cost, new.currency),
    ',"total":', sourcing.money_json(new.total, new.currency),
    ',"settledTotal":' || sourcing.money_json(new.settled_total, new.currency),
    ',"cancellationFee":' || sourcing.money_json(new.cancellation_fee, new.currency),
    ',"paymentTerms":' || to_json(new.payment_terms)::text,
    ',"delivery":' || new.delivery::text,
    ',"dueDate":', to_json(to_char(new.due_date, 'YYYY-MM-DD')),
    ',"expectedDate":' || to_json(to_char(sourcing.expected_date(new), 'YYYY-MM-DD'))::text,
    ',"arrivedTime":' || to_json(sourcing.api_time(new.arrived_at))::text,
    ',"filesReleasedTime":' || to_json(sourcing.api_time(new.files_released_at))::text,
    ',"milestones":', new.milestones,
    ',"carrier":' || to_json(new.carrier)::text,
    ',"trackingNumber":' || to_json(new.tracking_number)::text,
    ',"reason":' || to_json(new.reason)::text,
    ',"createdTime":', to_json(sourcing.api_time(new.created_at)),
    ',"updatedTime":', to_json(sourcing.api_time(new.updated_at)),
    '}');
  return new;
end $$;

create table sourcing.shipments (
  id text collate "C" primary key,
  order_id text collate "C" not null references sourcing.orders (id) on delete cascade,
  -- That of the order, for the inbox.
  consumer_org_id text not null,
  state text not null check (state in ('SHIPPED', 'ARRIVED', 'RECEIVED')),
  quantity integer not null check (quantity > 0),
  carrier text,
  tracking_number text,
  shipped_at timestamptz(3) not null,
  arrived_at timestamptz(3),
  received_at timestamptz(3),
  accepted_quantity integer,
  rejected_quantity integer,
  -- Why pieces were rejected.
  reason text,
  created_at timestamptz(3) not null,
  check ((state = 'RECEIVED') = (received_at is not null)),
  check ((state = 'RECEIVED') = (accepted_quantity is not null)),
  check (accepted_quantity >= 0 and rejected_quantity >= 0 and accepted_quantity + rejected_quantity = quantity),
  -- The public JSON of the shipment, built on write.
  document text not null
);
create index shipments_of_order on sourcing.shipments (order_id, id desc);
create index shipments_to_receive on sourcing.shipments (consumer_org_id, created_at desc, id desc)
  where state <> 'RECEIVED';

-- The only code that builds the JSON of a shipment.
create function sourcing.write_shipment_document() returns trigger
language plpgsql as $$
begin
  new.document := concat(
    '{"id":', to_json(new.id),
    ',"orderId":', to_json(new.order_id),
    ',"state":', to_json(new.state),
    ',"quantity":', new.quantity,
    ',"carrier":' || to_json(new.carrier)::text,
    ',"trackingNumber":' || to_json(new.tracking_number)::text,
    ',"shippedTime":', to_json(sourcing.api_time(new.shipped_at)),
    ',"arrivedTime":' || to_json(sourcing.api_time(new.arrived_at))::text,
    ',"receivedTime":' || to_json(sourcing.api_time(new.received_at))::text,
    ',"acceptedQuantity":' || new.accepted_quantity,
    ',"rejectedQuantity":' || new.rejected_quantity,
    ',"reason":' || to_json(new.reason)::text,
    ',"createdTime":', to_json(sourcing.api_time(new.created_at)),
    '}');
  return new;
end $$;

create trigger shipment_document before insert or update on sourcing.shipments
  for each row execute function sourcing.write_shipment_document();

grant select, insert, update on sourcing.shipments to marketplace_sourcing;

-- What was shipped before shipments existed is one shipment of all pieces. Its time is that of the last change.
insert into sourcing.shipments (
  id, order_id, consumer_org_id, state, quantity, carrier, tracking_number, shipped_at, arrived_at, received_at,
  accepted_quantity, rejected_quantity, created_at)
select 'shipment_' || split_part(id, '_', 2), id, consumer_org_id,
  case state when 'SHIPPED' then 'SHIPPED' when 'DELIVERED' then 'ARRIVED' else 'RECEIVED' end, quantity, carrier,
  tracking_number, state_since, case when state <> 'SHIPPED' then state_since end,
  case when state = 'COMPLETED' then state_since end, case when state = 'COMPLETED' then quantity end,
  case when state = 'COMPLETED' then 0 end, state_since
from sourcing.orders where state in ('SHIPPED', 'DELIVERED', 'COMPLETED') order by id;

alter table sourcing.orders disable trigger order_history;
update sourcing.orders set shipped_quantity = quantity,
  accepted_quantity = case when state = 'COMPLETED' then quantity else 0 end,
  arrived_at = case when state <> 'SHIPPED' then state_since end
where state in ('SHIPPED', 'DELIVERED', 'COMPLETED');
alter table sourcing.orders enable trigger order_history;
select sourcing.add_history(id, 'BACKFILL', sourcing.field_changes('{}', json_strip_nulls(json_build_object(
  'shippedQuantity', shipped_quantity,
  'acceptedQuantity', case when state = 'COMPLETED' then accepted_quantity end,
  'rejectedQuantity', case when state = 'COMPLETED' then rejected_quantity end,
  'arrivedTime', sourcing.api_time(arrived_at))), '{}'))
from sourcing.orders where state in ('SHIPPED', 'DELIVERED', 'COMPLETED') order by id;
