import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Assignment } from '../../../proto/http/sourcing/assignments.ts'
import type { Sql } from '../../kit/db/client.ts'
import { testDatabase } from '../../testing/database.ts'
import { loadAssignments } from '../../testing/load/assignments.ts'
import { loadOrders } from '../../testing/load/orders.ts'
import { LARGEST, loadedRfqOrg, loadRfqs } from '../../testing/load/rfqs.ts'
import { workOf } from '../../testing/query-plans.ts'
import { type AssignmentListing, listAssignments } from './list-queries.ts'
import { findAssignment, updateStatus } from './queries.ts'

setDefaultTimeout(240_000)
const ROWS = 2_000
const db = await testDatabase()
await loadRfqs(db.owner, { count: ROWS, organizations: 200, invitations: false })
await loadOrders(db.owner, { rfqs: ROWS })
await loadAssignments(db.owner, { orders: ROWS })
const loaded = (prefix: string, number: number) => `${prefix}_${String(number).padStart(26, '0')}`
const url = db.urlOf('sourcing')

const page = { after: undefined, limit: 11, offset: 0 }
const SMALL = loadedRfqOrg(7)
/** The rows of a page from the parties and from the assignments. */
const MOST_ROWS = 40

const FILTERS: [string, Partial<AssignmentListing>][] = [
  ['no filter', {}],
  ['status', { status: 'COMPLETED' }],
  ['a rare status', { status: 'ON_HOLD' }],
  ['archived', { archived: true }],
  ['not archived', { archived: false }],
  ['orderId', { orderId: loaded('order', 14) }],
  ['rfqId', { rfqId: loaded('rfq', 14) }],
  ['partId', { partId: 'part_14' }],
  ['factoryId', { factoryId: loaded('factory', 15) }],
]

describe(`over ${ROWS} assignments, of which one organization has half`, () => {
  test.each(FILTERS)(
    'a list with %s reads a page of rows for the largest and for a small organization',
    async (_, filters) => {
      for (const orgId of [LARGEST, SMALL]) {
        const work = await workOf(url, (sql) => listAssignments(sql, orgId, { ...filters, ...page }))
        expect(work.scannedWhole).toEqual([])
        expect([orgId, work.busiest, work.mostRows <= MOST_ROWS]).toEqual([orgId, work.busiest, true])
      }
    },
  )

  test('an assignment, and the assignment of an order, are found by indexes', async () => {
    const id = loaded('assignment', 14)
    for (const orgId of [LARGEST, SMALL, 'org_unknown']) {
      const queries: ((sql: Sql) => PromiseLike<unknown>)[] = [
        (sql) => findAssignment(sql, orgId, id),
        (sql) => updateStatus(sql as never, loaded('order', 14), 'CONFIRMED', new Date().toISOString()),
      ]
      for (const query of queries) {
        const { scannedWhole, mostRows, busiest } = await workOf(url, query)
        expect([orgId, busiest, scannedWhole, mostRows <= 20]).toEqual([orgId, busiest, [], true])
      }
    }
  })

  test('every stored document matches the schema of an assignment', async () => {
    const isAssignment = TypeCompiler.Compile(Assignment)
    const rows = await db.owner<{ document: string }[]>`
      select document from sourcing.assignments order by id limit 2000`
    expect(rows).toHaveLength(2000)
    for (const row of rows) expect(isAssignment.Check(JSON.parse(row.document))).toBe(true)
  })
})
