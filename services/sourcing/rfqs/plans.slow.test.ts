import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Rfq, type RfqView } from '../../../proto/http/sourcing/rfqs.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { testDatabase } from '../../testing/database.ts'
import { loadParts } from '../../testing/load/parts.ts'
import { LARGEST, loadedRfqOrg, loadRfqs } from '../../testing/load/rfqs.ts'
import { planOf, workOf } from '../../testing/query-plans.ts'
import { findMatchTerms } from '../matches/queries.ts'
import { findOwnOrPublicPart, findPart } from '../parts/queries.ts'
import { findReleased, MEASURED } from '../previews/visibility.ts'
import { listRfqs, type RfqFilters, scanRfqs, searchIndex } from './list-queries.ts'
import { lockNextRfqs, refreshInvitations, refreshRfqs } from './part-change-queries.ts'
import { findRfq, listInvitations } from './queries.ts'
import { expireDue } from './worker-queries.ts'

setDefaultTimeout(120_000)
const ROWS = 6_000
const db = await testDatabase()
await loadRfqs(db.owner, { count: ROWS, organizations: 600 })
const url = db.urlOf('sourcing')

const page = { after: undefined, limit: 11, offset: 0, now: new Date().toISOString() }
const VIEWS = ['CONSUMER', 'IP_OWNER', 'MANUFACTURER', undefined] as const
const ORGANIZATIONS = [LARGEST, loadedRfqOrg(7)]
/** The rows of a page from each of the three roles, and the documents of the page. */
const MOST_ROWS = 80

const FILTERS: [string, RfqFilters][] = [
  ['no filter', {}],
  ['state', { state: 'OPEN' }],
  ['a rare state', { state: 'CANCELLED' }],
  ['partId', { partId: 'part_14' }],
  ['excludeDrafts', { excludeDrafts: true }],
  ['excludeExpired', { excludeExpired: true }],
]

describe(`over ${ROWS} RFQs, of which one organization has half`, () => {
  const cases = VIEWS.flatMap((view) => FILTERS.map(([name, filters]) => [String(view), name, view, filters] as const))

  test.each(cases)(
    'view %s with %s reads a page of rows for the largest and for a small one',
    async (_, __, view, filters) => {
      for (const orgId of ORGANIZATIONS) {
        const work = await workOf(url, (sql) => listRfqs(sql, orgId, { view, ...filters, ...page }))
        expect(work.scannedWhole).toEqual([])
        expect([orgId, work.busiest, work.mostRows <= MOST_ROWS]).toEqual([orgId, work.busiest, true])
      }
    },
  )

  test.each(VIEWS.map((view) => [String(view), view] as const))(
    'a search in view %s reads at most 2000 rows of each role, or the index of the texts',
    async (_, view: RfqView | undefined) => {
      for (const orgId of ORGANIZATIONS) {
        const common = await workOf(url, (sql) => scanRfqs(sql, orgId, { view, q: 'impeller', ...page }, 2000))
        const rare = await workOf(url, (sql) => searchIndex(sql, orgId, { view, q: 'e4da3b7fbbce', ...page }))
        const serial = await workOf(url, (sql) => searchIndex(sql, orgId, { view, q: 'r-00000014', ...page }))
        expect([common, rare, serial].flatMap(({ scannedWhole }) => scannedWhole)).toEqual([])
        expect([common.busiest, common.mostRows <= 2000 * 3]).toEqual([common.busiest, true])
        expect([rare.busiest, rare.mostRows <= 200]).toEqual([rare.busiest, true])
        expect([serial.busiest, serial.mostRows <= 200]).toEqual([serial.busiest, true])
      }
    },
  )

  test('an RFQ, its invitations, the due ones and the readability of a part are found by indexes', async () => {
    const queries: ((sql: Sql) => PromiseLike<unknown>)[] = [
      (sql) => findRfq(sql, 'org_7', 'rfq_1'),
      (sql) => findReleased(sql, 'org_7', [{ partId: 'part_7', revision: 1 }], page.now),
      (sql) => listInvitations(sql, 'rfq_1', page),
      (sql) => expireDue(sql, { now: page.now, limit: 100, except: [] }),
      (sql) => findOwnOrPublicPart(sql, 'org_7', 'part_7'),
      (sql) => findPart(sql, 'org_7', 'part_7', MEASURED.ofPart('org_7', page.now)),
      (sql) => findMatchTerms(sql, 'org_7', 'rfq_1', MEASURED.ofPart('org_7', page.now)),
    ]
    for (const query of queries) {
      const { scannedWhole } = await planOf(url, query)
      // The catalog of materials is small.
      expect(scannedWhole.filter((table) => table !== 'materials')).toEqual([])
    }
  })

  test('a new title is copied to a batch of RFQs and their invitations by indexes', async () => {
    await loadParts(db.owner, { count: 200, organizations: 5 })
    await db.owner`
      update sourcing.parts set id = 'part_7', content = '{"title":"Rotor"}' where id = (select max(id) from sourcing.parts)`
    const ids = await db.owner<{ id: string }[]>`
      select id from sourcing.rfqs where part_id = 'part_7' order by id limit 100`
    const batch = ids.map(({ id }) => id)
    expect(batch.length).toBeGreaterThan(1)
    const queries: ((sql: Sql) => PromiseLike<unknown>)[] = [
      (sql) => lockNextRfqs(sql as Tx, 'part_7', '', 100),
      (sql) => refreshRfqs(sql, batch),
      (sql) => refreshInvitations(sql, batch),
    ]
    for (const query of queries) {
      const { scannedWhole } = await planOf(url, query)
      // The parts are few here; one is found by its primary key.
      expect(scannedWhole.filter((table) => table !== 'parts')).toEqual([])
    }
    const [row] = await db.owner<{ titles: string[] }[]>`
      select array_agg(distinct owner_part_title) as titles from sourcing.rfqs where part_id = 'part_7'`
    expect(row?.titles).toEqual(['Rotor'])
  })

  test('every stored document matches the schema of an RFQ', async () => {
    const isRfq = TypeCompiler.Compile(Rfq)
    const rows = await db.owner<{ document: string }[]>`
      (select document from sourcing.rfqs order by id limit 1000)
      union all (select document from sourcing.rfq_invitations order by rfq_id limit 1000)`
    expect(rows).toHaveLength(2000)
    for (const row of rows) expect(isRfq.Check(JSON.parse(row.document))).toBe(true)
  })
})
