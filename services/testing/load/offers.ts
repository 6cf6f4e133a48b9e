import { fill } from './fill.ts'
import type { Owner } from './owner.ts'

/** Offers of each RFQ. */
export const OFFERS_PER_RFQ = 3

/**
 * Inserts offers for the RFQs of `loadRfqs` into an empty table under the owner's role, for load tests. The consumer of
 * the RFQ has every role of its offers, so one organization has half of all in each view. Most are ACCEPTED or
 * REJECTED; the other states are rare and old, which is the worst case of a filter.
 */
export const loadOffers = (owner: Owner, { rfqs }: { rfqs: number }) =>
  fill(owner, { tables: ['sourcing.offers'], count: OFFERS_PER_RFQ * rfqs }, ({ first, last }) =>
    insertOffers(owner, first, last),
  )

const insertOffers = (owner: Owner, first: number, last: number) => owner`
    insert into sourcing.offers (
      id, rfq_id, part_id, manufacturer_org_id, consumer_org_id, ip_owner_org_id, factory_id, state, currency, price_breaks,
      tooling_cost, shipping_cost, valid_until, revision, notes, created_at, submitted_at, updated_at)
    select 'offer_' || lpad(n::text, 26, '0'), rfq.id, rfq.part_id, rfq.consumer_org_id, rfq.consumer_org_id,
      rfq.ip_owner_org_id, 'factory_' || lpad((1 + n % 5000)::text, 26, '0'), states.state, 'EUR',
      '[{"minQuantity": 1, "unitPrice": "120.5", "leadTimeDays": 21}, {"minQuantity": 10, "unitPrice": "95", "leadTimeDays": 28}]',
      250, 80.25, now() + interval '30 days', 1, 'Heat treatment and a certificate of each batch are included.',
      rfq.created_at, case when states.state <> 'DRAFT' then rfq.created_at end, rfq.updated_at
    from generate_series(${first}::int, ${last}::int) n
    join sourcing.rfqs rfq on rfq.id = 'rfq_' || lpad((1 + (n - 1) / ${OFFERS_PER_RFQ}::int)::text, 26, '0')
    cross join lateral (select case
      when n <= 40 then 'DRAFT' when n <= 80 then 'SUBMITTED' when n <= 120 then 'WITHDRAWN' when n <= 160 then 'EXPIRED'
      when n <= 200 then 'SUPERSEDED' when n % 3 = 0 then 'ACCEPTED' else 'REJECTED' end as state) states`
