import { expect, test } from 'bun:test'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const org = await market.organization(['CONSUMER', 'IP_OWNER', 'MANUFACTURER'])
const own = rfqsOf(org.administrator.client)

/**
 * The organization is the consumer of the newer RFQs, of which the oldest match, and the IP owner of the older ones.
 */
const CONSUMED = { from: 301, matching: 400, to: 2500 }
const idOf = (n: number) => `rfq_${String(n).padStart(26, '0')}`
await market.db.owner`
  insert into sourcing.rfqs (id, serial_number, part_id, part_title, owner_part_title, part_serial_number, consumer_org_id,
    ip_owner_org_id, state, terms, manufacturer_ids, expires_at, created_at,
    updated_at, published_at)
  select 'rfq_' || lpad(n::text, 26, '0'), 'R-' || n, 'part_' || n, title, title, 'P-' || n,
    case when is_consumer then ${org.orgId} else 'org_other' end,
    case when is_consumer then 'org_other' else ${org.orgId} end, 'CLOSED',
    '{"currency":"EUR","deliveryRegionCode":"DK","quantities":[1],"sealed":false}', '{}', now() + interval '1 day', now(), now(), now()
  from generate_series(1, ${CONSUMED.to}) n
  cross join lateral (select n >= ${CONSUMED.from} as is_consumer,
    case when n <= ${CONSUMED.matching} then 'Impeller' else 'Casing' end as title) columns`

const idsOf = (items: Rfq[]) => items.map(({ id }) => id)
const newestFirst = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => idOf(to - n))

test('q without a view finds the matches of every role on every page, newest first', async () => {
  const found: string[] = []
  for (let page = 1; ; page++) {
    const { status, body } = await own.list(`?q=impeller&pageSize=50&page=${page}`)
    expect(status).toBe(200)
    found.push(...idsOf(body.items))
    if (!body.hasMore) break
  }
  expect(found).toEqual(newestFirst(1, CONSUMED.matching))
})

test.each(['im', 'impeller', 'mpel'])('a page of q=%s that is read by its number alone is the same', async (q) => {
  for (const page of [1, 2, 9, 11, 40]) {
    const last = CONSUMED.matching - 10 * (page - 1)
    const { body } = await own.list(`?q=${q}&page=${page}`)
    expect([page, idsOf(body.items)]).toEqual([page, newestFirst(last - 9, last)])
  }
})

test('q with a view finds the matches of that role', async () => {
  expect(idsOf((await own.list('?q=impeller&view=CONSUMER')).body.items)).toEqual(newestFirst(391, 400))
  expect(idsOf((await own.list('?q=impeller&view=IP_OWNER')).body.items)).toEqual(newestFirst(291, 300))
  expect(idsOf((await own.list('?q=impeller&view=MANUFACTURER')).body.items)).toEqual([])
})
