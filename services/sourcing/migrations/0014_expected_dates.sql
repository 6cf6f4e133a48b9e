-- The day of the last extension of the assignment. The agreed day of the order stays.
alter table sourcing.orders add column extended_due_date date;

-- The day on which an order that is not yet delivered is expected, where the manufacturer has announced a later one than
-- agreed: by an extension, or by a milestone that is not completed.
create function sourcing.expected_date(placed sourcing.orders) returns date
language sql immutable parallel safe
return (
  select max(day)
  from (
    select placed.extended_due_date as day
    union all
    select ((milestone ->> 'plannedTime')::timestamptz at time zone 'UTC')::date
    from jsonb_array_elements(placed.milestones) milestone where not milestone ? 'completedTime'
  ) announced
  where day > placed.due_date and placed.state not in ('DELIVERED', 'COMPLETED', 'DECLINED', 'CANCELLED')
);

-- The only code that builds the JSON of an order.
create or replace function sourcing.write_order_document() returns trigger
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
    ',"expectedDate":' || to_json(to_char(sourcing.expected_date(new), 'YYYY-MM-DD'))::text,
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

-- The expected day follows from milestones, which are recorded, and from extensions, which are records of their own.
create or replace function sourcing.record_order_history() returns trigger
language plpgsql security definer set search_path = pg_catalog, sourcing, pg_temp as $$
declare
  changes text := sourcing.field_changes(
    case tg_op when 'INSERT' then '{}' else old.document end::json, new.document::json, '{expectedDate,updatedTime}');
begin
  if changes is not null then
    perform sourcing.add_history(new.id, case tg_op when 'INSERT' then 'CREATE' else tg_op end, changes);
  end if;
  return null;
end $$;

update sourcing.orders placed set extended_due_date = assignment.due_date
from sourcing.assignments assignment
where assignment.order_id = placed.id and assignment.due_date > placed.due_date;
update sourcing.orders set milestones = milestones where milestones <> '[]' and extended_due_date is null;
