import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { ORDER_VIEWS, Order } from '../../../proto/http/sourcing/orders.ts'
import type { Sql } from '../../kit/db/client.ts'
import { testDatabase } from '../../testing/database.ts'
import { loadFactories } from '../../testing/load/factories.ts'
import { loadOrders } from '../../testing/load/orders.ts'
import { loadParts } from '../../testing/load/parts.ts'
import { LARGEST, loadedRfqOrg, loadRfqs } from '../../testing/load/rfqs.ts'
import { workOf } from '../../testing/query-plans.ts'
import { findFactory } from '../factories/queries.ts'
import { findReadableFiles } from '../files/queries.ts'
import { findPart, findUnfinishedOrder } from '../parts/queries.ts'
import { findReleased, MEASURED } from '../previews/visibility.ts'
import { listOrders, type OrderListing, scanOrders } from './list-queries.ts'
import { findPicturedOrder } from './queries.ts'

setDefaultTimeout(240_000)
const ROWS = 2_500
const db = await testDatabase()
await loadRfqs(db.owner, { count: ROWS, organizations: 250 })
await loadOrders(db.owner, { rfqs: ROWS })
await loadParts(db.owner, { count: 100, organizations: 5 })
await db.owner`select sourcing.pin_part(id, now()) from sourcing.parts`
await loadFactories(db.owner, { count: 100, organizations: 5 })
const [PART, FACTORY] = ['part_14', `factory_${'15'.padStart(26, '0')}`]
await db.owner`
  update sourcing.parts set id = ${PART}, state = 'DRAFT' where id = (select max(id) from sourcing.parts)`
await db.owner`update sourcing.factories set internal = true where id = ${FACTORY}`
const url = db.urlOf('sourcing')

const page = { after: undefined, limit: 11, offset: 0 }
const now = new Date().toISOString()
const SMALL = loadedRfqOrg(7)
/** The rows of a page from each of the five roles, and the documents of the page. */
const MOST_ROWS = 120

const FILTERS: [string, Partial<OrderListing>][] = [
  ['no filter', {}],
  ['state', { state: 'COMPLETED' }],
  ['a rare state', { state: 'ON_HOLD' }],
  ['partId', { partId: PART }],
  ['factoryId', { factoryId: FACTORY }],
  ['rfqId', { rfqId: `rfq_${'14'.padStart(26, '0')}` }],
]

describe(`over ${ROWS} orders, of which one organization has half in each role`, () => {
  const cases = [...ORDER_VIEWS, undefined].flatMap((view) =>
    FILTERS.map(([name, filters]) => [String(view), name, view, filters] as const),
  )

  test.each(cases)(
    'view %s with %s reads a page of rows for the largest and for a small organization',
    async (_, __, view, filters) => {
      for (const orgId of [LARGEST, SMALL]) {
        const work = await workOf(url, (sql) => listOrders(sql, orgId, { ...(view && { view }), ...filters, ...page }))
        expect(work.scannedWhole).toEqual([])
        expect([orgId, work.busiest, work.mostRows <= MOST_ROWS]).toEqual([orgId, work.busiest, true])
      }
    },
  )

  test('a search looks up the part of each of the next orders, and no other', async () => {
    for (const view of [...ORDER_VIEWS, undefined]) {
      for (const orgId of [LARGEST, SMALL]) {
        const work = await workOf(url, (sql) =>
          scanOrders(sql, orgId, { ...(view && { view }), q: 'none', ...page }, 50),
        )
        expect(work.scannedWhole).toEqual([])
        expect([orgId, work.busiest, work.mostRows <= 5 * 50]).toEqual([orgId, work.busiest, true])
      }
    }
  })

  test('an order, and the orders that make a part or a factory readable or keep a part, are found by indexes', async () => {
    const neither = { consumer: false, distributor: false }
    for (const orgId of [LARGEST, SMALL, 'org_unknown']) {
      const queries: ((sql: Sql) => PromiseLike<unknown>)[] = [
        (sql) => findPicturedOrder(sql, orgId, `order_${'14'.padStart(26, '0')}`),
        (sql) => findReleased(sql, orgId, [{ partId: PART, revision: 1 }], now),
        (sql) => findPart(sql, orgId, PART, MEASURED.ofPart(orgId, now)),
        (sql) => findReadableFiles(sql, orgId, PART, new Date().toISOString()),
        (sql) => findFactory(sql, orgId, neither, FACTORY),
        (sql) => findUnfinishedOrder(sql, PART),
      ]
      for (const query of queries) {
        const { scannedWhole, mostRows, busiest } = await workOf(url, query)
        expect([orgId, busiest, scannedWhole, mostRows <= 20]).toEqual([orgId, busiest, [], true])
      }
    }
    expect(await findPart(db.owner, LARGEST, PART, MEASURED.ofPart(LARGEST, now))).toHaveLength(1)
    expect(await findFactory(db.owner, LARGEST, neither, FACTORY)).toHaveLength(1)
    expect(await findPart(db.owner, 'org_unknown', PART, MEASURED.ofPart('org_unknown', now))).toHaveLength(0)
    expect(await findFactory(db.owner, 'org_unknown', neither, FACTORY)).toHaveLength(0)
  })

  test('every stored document matches the schema of an order', async () => {
    const isOrder = TypeCompiler.Compile(Order)
    const rows = await db.owner<{ document: string }[]>`select document from sourcing.orders order by id limit 2000`
    expect(rows).toHaveLength(2000)
    for (const row of rows) expect(isOrder.Check(JSON.parse(row.document))).toBe(true)
  })
})
