-- Consumer and manufacturer change an order by agreement.
create table sourcing.change_requests (
  id text collate "C" primary key,
  order_id text collate "C" not null references sourcing.orders (id) on delete cascade,
  side text not null check (side in ('CONSUMER', 'MANUFACTURER')),
  -- The organization that proposed the change, and the one that decides it.
  org_id text not null,
  decider_org_id text not null,
  state text not null check (state in ('PROPOSED', 'ACCEPTED', 'DECLINED', 'WITHDRAWN')),
  quantity integer check (quantity > 0),
  due_date date,
  unit_price numeric(16, 4) check (unit_price >= 0),
  -- Null for a change of the fields above.
  cancel boolean check (cancel),
  fee numeric(16, 4) check (fee >= 0),
  currency text not null,
  -- The values of the order that would change, when they were proposed.
  previous json not null,
  reason text not null,
  decision_reason text,
  created_at timestamptz(3) not null,
  decided_at timestamptz(3),
  check (cancel is not null or num_nonnulls(quantity, due_date, unit_price) > 0),
  check (cancel is null or num_nonnulls(quantity, due_date, unit_price) = 0),
  check (fee is null or cancel is not null),
  check ((state = 'PROPOSED') = (decided_at is null)),
  -- The public JSON of the change request, built on write.
  document text not null
);
create index change_requests_of_order on sourcing.change_requests (order_id, id desc);
create unique index change_requests_proposed on sourcing.change_requests (order_id, side) where state = 'PROPOSED';
create index change_requests_to_decide on sourcing.change_requests (decider_org_id, created_at desc, id desc)
  where state = 'PROPOSED';
create index change_requests_of_cancellations on sourcing.change_requests (created_at)
  where state = 'PROPOSED' and cancel and side = 'CONSUMER';

-- The only code that builds the JSON of a change request.
create function sourcing.write_change_request_document() returns trigger
language plpgsql as $$
begin
  new.document := concat(
    '{"id":', to_json(new.id),
    ',"orderId":', to_json(new.order_id),
    ',"proposedBy":', to_json(new.side),
    ',"state":', to_json(new.state),
    ',"quantity":' || new.quantity,
    ',"dueDate":' || to_json(to_char(new.due_date, 'YYYY-MM-DD'))::text,
    ',"unitPrice":' || sourcing.money_json(new.unit_price, new.currency),
    ',"cancel":' || new.cancel::text,
    ',"fee":' || sourcing.money_json(new.fee, new.currency),
    ',"previous":', new.previous,
    ',"reason":', to_json(new.reason),
    ',"decisionReason":' || to_json(new.decision_reason)::text,
    ',"createdTime":', to_json(sourcing.api_time(new.created_at)),
    ',"decidedTime":' || to_json(sourcing.api_time(new.decided_at))::text,
    '}');
  return new;
end $$;

create trigger change_request_document before insert or update on sourcing.change_requests
  for each row execute function sourcing.write_change_request_document();

grant select, insert, update on sourcing.change_requests to marketplace_sourcing;
