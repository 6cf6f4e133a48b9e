import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Case } from '../../../proto/http/sourcing/cases.ts'
import type { Sql } from '../../kit/db/client.ts'
import { testDatabase } from '../../testing/database.ts'
import { LARGEST, loadCases, loadedCaseOrg } from '../../testing/load/cases.ts'
import { planOf, workOf } from '../../testing/query-plans.ts'
import { findExpense, listExpenses } from './expenses/queries.ts'
import { type CaseFilters, listCases } from './list-queries.ts'
import { countCasesAbout, findCase, updateRfqCases } from './queries.ts'
import { findTask, listTasks } from './tasks/queries.ts'

setDefaultTimeout(120_000)
const ROWS = 30_000
const db = await testDatabase()
await loadCases(db.owner, { count: ROWS, organizations: 750 })
// Tables without rows are always read as a whole.
await db.owner`
  insert into sourcing.case_tasks (id, case_id, org_id, title, state, created_at, updated_at)
  select 'task_' || n, 'case_' || lpad((1 + n % 1000)::text, 26, '0'), ${LARGEST}, 'Report', 'OPEN', now(), now()
  from generate_series(1, 20000) n`
await db.owner`
  insert into sourcing.case_expenses (id, case_id, org_id, description, amount, currency, incurred_on, created_at, updated_at)
  select 'expense_' || n, 'case_' || lpad((1 + n % 1000)::text, 26, '0'), ${LARGEST}, 'CT scan', 1, 'EUR', now(), now(), now()
  from generate_series(1, 20000) n`
await db.owner`analyze sourcing.case_tasks`
await db.owner`analyze sourcing.case_expenses`
const url = db.urlOf('sourcing')
const page = { after: undefined, limit: 11, offset: 0 }

const FILTERS: [string, CaseFilters][] = [
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
    const changes = { rfqIds: ['rfq_1'], orgIds: [LARGEST], ends: [true] }
    const queries: ((sql: Sql) => PromiseLike<unknown>)[] = [
      (sql) => findCase(sql, 'org_7', 'case_1'),
      (sql) => findTask(sql, 'org_7', { id: 'case_1', taskId: 'task_1' }),
      (sql) => listTasks(sql, 'case_1', page),
      (sql) => findExpense(sql, 'org_7', { id: 'case_1', expenseId: 'expense_1' }),
      (sql) => listExpenses(sql, 'case_1', page),
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
