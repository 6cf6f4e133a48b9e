import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Case } from '../../../proto/http/sourcing/cases.ts'
import type { Sql } from '../../kit/db/client.ts'
import { testDatabase } from '../../testing/database.ts'
import { LARGEST, loadCases, loadedCaseOrg } from '../../testing/load/cases.ts'
import { planOf, workOf } from '../../testing/query-plans.ts'
import { listSubrecords, lockSubrecord } from '../subrecords/queries.ts'
import { type CaseListing, listCases } from './list-queries.ts'
import { countCasesAbout, findCase, updateRfqCases } from './queries.ts'

setDefaultTimeout(120_000)
const ROWS = 2_000
const db = await testDatabase()
await loadCases(db.owner, { count: ROWS, organizations: 750 })
// Tables without rows are always read as a whole.
await db.owner`
  insert into sourcing.subrecords (id, kind, parent_id, org_id, document)
  select kind || '_' || n, kind, 'case_' || lpad((1 + n % 1000)::text, 26, '0'), ${LARGEST},
    '{"state":"OPEN","updatedTime":"2026-01-01T00:00:00.000Z"}'
  from generate_series(1, 4000) n cross join unnest(array['task', 'expense']) kind`
await db.owner`analyze sourcing.subrecords`
const url = db.urlOf('sourcing')
const page = { after: undefined, limit: 11, offset: 0 }

const FILTERS: [string, Partial<CaseListing>][] = [
  ['no filter', {}],
  ['a rare kind', { kind: 'QUALITY' }],
  ['a frequent kind', { kind: 'SOURCING' }],
  ['a rare state', { state: 'OPEN' }],
  ['a frequent state', { state: 'CLOSED' }],
  ['rfqId', { rfqId: 'rfq_500' }],
  ['orderId', { orderId: 'order_4' }],
]

describe(`over ${ROWS} cases, of which one organization has half`, () => {
  test.each(FILTERS)('a page with %s reads its rows alone, for the largest and for a small one', async (_, filters) => {
    for (const orgId of [LARGEST, loadedCaseOrg(7)]) {
      const work = await workOf(url, (sql) => listCases(sql, orgId, { ...filters, ...page }))
      expect(work.scannedWhole).toEqual([])
      expect([orgId, work.busiest, work.mostRows <= page.limit]).toEqual([orgId, work.busiest, true])
    }
  })

  test('a case, its tasks and expenses, and the cases of an RFQ are found by indexes', async () => {
    const changes = { rfqIds: ['rfq_1'], orgIds: [LARGEST], ends: [true], resumes: [false] }
    const queries: ((sql: Sql) => PromiseLike<unknown>)[] = [
      (sql) => findCase(sql, 'org_7', 'case_1'),
      (sql) => lockSubrecord(sql, { kind: 'task', parentId: 'case_1', id: 'task_1' }),
      (sql) => listSubrecords(sql, sql`document`, { kind: 'expense', parentId: 'case_1' }, page),
      (sql) => updateRfqCases(sql, changes, new Date().toISOString()),
      (sql) => countCasesAbout(sql, { orgId: LARGEST, rfqId: 'rfq_1' }),
      (sql) => countCasesAbout(sql, { orgId: LARGEST, orderId: 'order_1' }),
    ]
    for (const query of queries) expect((await planOf(url, query)).scannedWhole).toEqual([])
  })

  test('every stored document matches the schema of a case', async () => {
    const isCase = TypeCompiler.Compile(Case)
    const rows = await db.owner<{ document: string }[]>`select document from sourcing.cases order by id limit 1000`
    expect(rows).toHaveLength(1000)
    for (const row of rows) expect(isCase.Check(JSON.parse(row.document))).toBe(true)
  })
})
