import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { loadOrders } from '../../testing/load/orders.ts'
import { LARGEST, loadedRfqOrg, loadRfqs } from '../../testing/load/rfqs.ts'
import { planOf, workOf } from '../../testing/query-plans.ts'
import { findSuppliers, listSuppliers } from './queries.ts'

setDefaultTimeout(240_000)
const ROWS = 4_800
const MANUFACTURERS = 60
/** Of the largest consumer, one manufacturer has most orders. */
const LARGEST_MANUFACTURER = 'org_m0'
const db = await testDatabase()
await loadRfqs(db.owner, { count: ROWS, organizations: 480, invitations: false })
await loadOrders(db.owner, { rfqs: ROWS })
await db.owner`
  insert into organization.organizations (id, name, roles, region_code, engagement, created_at)
  select 'org_m' || n, 'Maker ' || n, '{MANUFACTURER}', 'NO', 'DIRECT', now()
  from generate_series(0, ${MANUFACTURERS - 1}::int) n`
// History takes half of the time of the change.
await db.owner`alter table sourcing.orders disable trigger order_history`
await db.owner`
  update sourcing.orders set manufacturer_org_id = 'org_m' || case
      when right(id, 5)::int % 8 < 5 then 0 else 1 + right(id, 5)::int % ${MANUFACTURERS - 1}::int end,
    shipped_quantity = 10, arrived_at = case when state = 'COMPLETED' then created_at + interval '20 days' end`
await db.owner`vacuum (analyze) sourcing.orders, organization.organizations`
const url = db.urlOf('sourcing')
const SMALL = loadedRfqOrg(7)
const page = { after: undefined, limit: 11, offset: 0 }

describe(`over ${ROWS} orders, of which one consumer has half`, () => {
  test('a page reads the index for each manufacturer, and the newest 1,000 orders of each on the page', async () => {
    for (const orgId of [LARGEST, SMALL]) {
      const work = await workOf(url, (sql) => listSuppliers(sql, orgId, page))
      expect(work.scannedWhole).toEqual([])
      expect([orgId, work.busiest, work.mostRows <= 1500]).toEqual([orgId, work.busiest, true])
      const { indexes } = await planOf(url, (sql) => listSuppliers(sql, orgId, page))
      expect(new Set(indexes.filter((name) => name.startsWith('orders')))).toEqual(new Set(['orders_suppliers']))
    }
  })

  test('one manufacturer, and a batch, read no more than their newest 1,000 orders', async () => {
    const ids = [LARGEST_MANUFACTURER, 'org_m1', 'org_unknown']
    for (const orgId of [LARGEST, SMALL]) {
      const one = await workOf(url, (sql) =>
        listSuppliers(sql, orgId, { ...page, manufacturerOrgId: LARGEST_MANUFACTURER }),
      )
      expect(one.scannedWhole).toEqual([])
      expect([one.busiest, one.mostRows <= 1000]).toEqual([one.busiest, true])
      const batch = await workOf(url, (sql) => findSuppliers(sql, orgId, ids))
      expect(batch.scannedWhole).toEqual([])
      expect([batch.busiest, batch.mostRows <= 1200]).toEqual([batch.busiest, true])
    }
  })

  test('the figures are from the newest 1,000 orders of a manufacturer', async () => {
    const finished = async () => {
      const [row] = await findSuppliers(db.owner, LARGEST, [LARGEST_MANUFACTURER])
      return JSON.parse(row?.document ?? '{}')
    }
    const [counted] = await db.owner<{ all: number; newest: number }[]>`
      select count(*) filter (where state = 'COMPLETED')::int as all,
        count(*) filter (where state = 'COMPLETED' and place <= 1000)::int as newest
      from (
        select state, row_number() over (order by id desc) as place from sourcing.orders
        where consumer_org_id = ${LARGEST} and manufacturer_org_id = ${LARGEST_MANUFACTURER}) placed`
    expect(counted?.all).toBeGreaterThan(1000)
    expect((await finished()).finishedOrders).toBe(counted?.newest as number)
  })
})
