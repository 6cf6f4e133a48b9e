import { expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { loadParts } from '../../testing/load/parts.ts'
import { planOf } from '../../testing/query-plans.ts'
import { findReferenced } from './queries.ts'

const db = await testDatabase()
await loadParts(db.owner, { count: 4_000, organizations: 3 })

test('the parts of 1,000 references are found by the index of references', async () => {
  const references = Array.from({ length: 1000 }, (_, n) => `DRW-${n}`)
  const { indexes, scannedWhole } = await planOf(db.urlOf('sourcing'), (sql) =>
    findReferenced(sql, 'org_1', references),
  )
  expect([indexes, scannedWhole]).toEqual([['parts_references'], []])
})
