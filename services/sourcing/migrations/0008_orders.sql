-- Orders, RFQs with orders and offers are never deleted, so an order needs no foreign keys.
create table sourcing.orders (
  id text collate "C" primary key,
  serial_number text collate "C" not null unique,
  rfq_id text collate "C" not null,
  -- An offer is awarded once.
  offer_id text collate "C" not null unique,
  part_id text collate "C" not null,
  factory_id text collate "C" not null,
  consumer_org_id text not null,
  ip_owner_org_id text not null,
  manufacturer_org_id text not null,
  seller_org_id text not null,
  -- The distributor of the consumer at the time of the award.
  distributor_org_id text,
  state text not null check (state in ('PLACED', 'CONFIRMED', 'IN_PRODUCTION', 'INSPECTION', 'SHIPPED', 'DELIVERED',
    'COMPLETED', 'ON_HOLD', 'DECLINED', 'CANCELLED')),
  -- The state to which an order on hold returns.
  held_state text check (held_state in ('CONFIRMED', 'IN_PRODUCTION', 'INSPECTION')),
  quantity integer not null check (quantity > 0),
  unit_price numeric(16, 4) not null check (unit_price >= 0),
  tooling_cost numeric(16, 4) check (tooling_cost >= 0),
  shipping_cost numeric(16, 4) check (shipping_cost >= 0),
  total numeric not null,
  currency text not null,
  due_date date not null,
  -- When the IP owner released the files of the group `ip` to the manufacturer.
  files_released_at timestamptz(3),
  -- [{name, plannedTime, completedTime}]
  milestones jsonb not null default '[]',
  carrier text,
  tracking_number text,
  -- The reason of the last hold, rework, decline or cancellation, until the next step.
  reason text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  check ((state = 'ON_HOLD') = (held_state is not null)),
  check (total = unit_price * quantity + coalesce(tooling_cost, 0) + coalesce(shipping_cost, 0)),
  -- The public JSON of the order, built on write.
  document text not null
);

-- One index for each view and filter, so that the time of a list depends neither on the number of orders of the
-- organization nor on those of others. The indexes on parts and factories also show whether an organization is a party
-- to an order that names one.
create index orders_consumed on sourcing.orders (consumer_org_id, id desc);
create index orders_consumed_states on sourcing.orders (consumer_org_id, state, id desc);
create index orders_consumed_parts on sourcing.orders (consumer_org_id, part_id, id desc);
create index orders_consumed_factories on sourcing.orders (consumer_org_id, factory_id, id desc);
create index orders_owned on sourcing.orders (ip_owner_org_id, id desc);
create index orders_owned_states on sourcing.orders (ip_owner_org_id, state, id desc);
create index orders_owned_parts on sourcing.orders (ip_owner_org_id, part_id, id desc);
create index orders_owned_factories on sourcing.orders (ip_owner_org_id, factory_id, id desc);
create index orders_made on sourcing.orders (manufacturer_org_id, id desc);
create index orders_made_states on sourcing.orders (manufacturer_org_id, state, id desc);
create index orders_made_parts on sourcing.orders (manufacturer_org_id, part_id, id desc);
create index orders_made_factories on sourcing.orders (manufacturer_org_id, factory_id, id desc);
create index orders_sold on sourcing.orders (seller_org_id, id desc);
create index orders_sold_states on sourcing.orders (seller_org_id, state, id desc);
create index orders_sold_parts on sourcing.orders (seller_org_id, part_id, id desc);
create index orders_sold_factories on sourcing.orders (seller_org_id, factory_id, id desc);
create index orders_distributed on sourcing.orders (distributor_org_id, id desc) where distributor_org_id is not null;
create index orders_distributed_states on sourcing.orders (distributor_org_id, state, id desc)
  where distributor_org_id is not null;
create index orders_distributed_parts on sourcing.orders (distributor_org_id, part_id, id desc)
  where distributor_org_id is not null;
create index orders_distributed_factories on sourcing.orders (distributor_org_id, factory_id, id desc)
  where distributor_org_id is not null;
create index orders_of_rfq on sourcing.orders (rfq_id, id desc);
-- The deletion of a part and the access to its files of the group `ip` depend on unfinished orders.
create index orders_unfinished on sourcing.orders (part_id) where state not in ('COMPLETED', 'DECLINED', 'CANCELLED');
create index orders_live on sourcing.orders (manufacturer_org_id, part_id)
  where files_released_at is not null and state in ('CONFIRMED', 'IN_PRODUCTION', 'INSPECTION', 'SHIPPED', 'ON_HOLD');

-- The only code that builds the JSON of an order.
create function sourcing.write_order_document() returns trigger
language plpgsql as $$
begin
  new.document := concat(
    '{"id":', to_json(new.id),
    ',"serialNumber":', to_json(new.serial_number),
    ',"rfqId":', to_json(new.rfq_id),
    ',"offerId":', to_json(new.offer_id),
    ',"partId":', to_json(new.part_id),
    ',"factoryId":', to_json(new.factory_id),
    ',"consumerOrgId":', to_json(new.consumer_org_id),
    ',"ipOwnerOrgId":', to_json(new.ip_owner_org_id),
    ',"manufacturerOrgId":', to_json(new.manufacturer_org_id),
    ',"sellerOrgId":', to_json(new.seller_org_id),
    ',"distributorOrgId":' || to_json(new.distributor_org_id)::text,
    ',"state":', to_json(new.state),
    ',"quantity":', new.quantity,
    ',"unitPrice":', sourcing.money_json(new.unit_price, new.currency),
    ',"toolingCost":' || sourcing.money_json(new.tooling_cost, new.currency),
    ',"shippingCost":' || sourcing.money_json(new.shipping_cost, new.currency),
    ',"total":', sourcing.money_json(new.total, new.currency),
    ',"dueDate":', to_json(to_char(new.due_date, 'YYYY-MM-DD')),
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

create trigger order_document before insert or update on sourcing.orders
  for each row execute function sourcing.write_order_document();

grant select, insert, update on sourcing.orders to marketplace_sourcing;
