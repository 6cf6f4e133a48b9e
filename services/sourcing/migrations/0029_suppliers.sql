-- The manufacturers of a consumer, and the figures of their orders without the rows themselves.
create index orders_suppliers on sourcing.orders (consumer_org_id, manufacturer_org_id, id desc)
  include (state, created_at, due_date, arrived_at, quantity, shipped_quantity, rejected_quantity);
