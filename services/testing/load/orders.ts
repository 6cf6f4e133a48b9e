import { fill } from './fill.ts'
import { OFFERS_PER_RFQ } from './offers.ts'
import type { Owner } from './owner.ts'

/**
 * Inserts an order for each RFQ of `loadRfqs` into an empty table under the owner's role, for load tests. The consumer
 * of the RFQ has every role of its order, so one organization has half of all in each view. Most are COMPLETED or
 * SHIPPED; the other states are rare and old, which is the worst case of a filter.
 */
export const loadOrders = (owner: Owner, { rfqs }: { rfqs: number }) =>
  fill(
    owner,
    { tables: ['sourcing.orders'], without: { order_history: 'sourcing.orders' }, count: rfqs },
    ({ first, last }) => insertOrders(owner, first, last),
  )

const insertOrders = (owner: Owner, first: number, last: number) => owner`
    insert into sourcing.orders (
      id, serial_number, rfq_id, offer_id, part_id, factory_id, consumer_org_id, ip_owner_org_id, manufacturer_org_id,
      seller_org_id, distributor_org_id, state, held_state, quantity, unit_price, tooling_cost, shipping_cost, total, currency,
      due_date, milestones, reason, part_revision, created_at, updated_at)
    select 'order_' || lpad(n::text, 26, '0'), 'O-' || lpad(n::text, 8, '0'), rfq.id,
      'offer_' || lpad((n * ${OFFERS_PER_RFQ}::int)::text, 26, '0'), rfq.part_id, 'factory_' || lpad((1 + n % 5000)::text, 26, '0'),
      rfq.consumer_org_id, rfq.ip_owner_org_id, rfq.consumer_org_id, rfq.consumer_org_id, rfq.consumer_org_id,
      states.state, case when states.state = 'ON_HOLD' then 'CONFIRMED' end, 10, 95, 250, 80.25, 1280.25, 'EUR',
      current_date + 28, '[{"name": "First article inspection", "plannedTime": "2031-05-20T12:00:00.000Z"}]',
      case when states.state in ('ON_HOLD', 'DECLINED', 'CANCELLED') then 'The powder batch failed its test.' end, 1,
      rfq.created_at, rfq.updated_at
    from generate_series(${first}::int, ${last}::int) n
    join sourcing.rfqs rfq on rfq.id = 'rfq_' || lpad(n::text, 26, '0')
    cross join lateral (select case
      when n <= 40 then 'PLACED' when n <= 80 then 'ON_HOLD' when n <= 120 then 'DECLINED' when n <= 160 then 'CANCELLED'
      when n <= 200 then 'INSPECTION' when n % 3 = 0 then 'SHIPPED' else 'COMPLETED' end as state) states`
