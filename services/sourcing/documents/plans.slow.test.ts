import { expect, setDefaultTimeout, test } from 'bun:test'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { testDatabase } from '../../testing/database.ts'
import { planOf, workOf } from '../../testing/query-plans.ts'
import { markFailed, markReady } from '../files/jobs/queries.ts'
import { findMissingKinds } from '../orders/queries.ts'
import * as queries from './queries.ts'

setDefaultTimeout(120_000)
const ROWS = 8_000
const PER_RECORD = 100
const db = await testDatabase()
const { owner } = db
// Tables without rows are always read as a whole.
await owner`
  insert into sourcing.files (
    id, org_id, name, record_kind, record_id, document_kind, state, reason, public, copy_of, created_at)
  select 'file_' || lpad(n::text, 26, '0'), 'org_' || n % 4, 'a', 'offer', 'offer_' || n / ${PER_RECORD}::int, 'OTHER',
    'FAILED', 'too_large', false, case when n % 3 = 0 then 'file_' || lpad((n + 1)::text, 26, '0') end, now()
  from generate_series(1, ${ROWS}::int) n`
await owner`analyze sourcing.files`
const url = db.urlOf('sourcing')
const record = { kind: 'offer', id: 'offer_7' } as const
const ID = `file_${'1'.padStart(26, '0')}`

test('a page of documents reads its rows alone', async () => {
  const page = { after: undefined, limit: 26, offset: 0 }
  const work = await workOf(url, (sql) => queries.listDocuments(sql, record.id, page))
  expect([work.scannedWhole, work.mostRows]).toEqual([[], 26])
})

test('the documents of a record, its copies and what it lacks are found by indexes', async () => {
  const info = { sizeBytes: 1, sha256: 'a', contentType: 'text/plain' }
  const asked: ((sql: Sql) => PromiseLike<unknown>)[] = [
    (sql) => queries.findOwnDocuments(sql, 'org_1', record, [ID]),
    (sql) => queries.countDocuments(sql as Tx, 'org_1', record),
    (sql) => queries.deleteDocuments(sql as Tx, 'org_1', record, [ID]),
    (sql) => queries.supersede(sql as Tx, 'org_1', record, ID, ID),
    (sql) => queries.lockDocumentsOf(sql as Tx, record.id),
    (sql) => markReady(sql as Tx, 'file_unknown', 'key', info),
    (sql) => markFailed(sql as Tx, 'file_unknown', 'too_large'),
    (sql) => findMissingKinds(sql as Tx, 'order_1'),
  ]
  for (const query of asked) {
    const { scannedWhole } = await planOf(url, query)
    expect(scannedWhole.filter((table) => table === 'files')).toEqual([])
  }
})
