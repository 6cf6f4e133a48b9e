import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from '../../kit/db/client.ts'
import { testDatabase } from '../../testing/database.ts'
import { claimJob, deleteJob, extendLease, type JobRow, recordWhole } from './queries.ts'

const WAITING = 20_000
/** Far less than the time that a statement has, and far more than it takes. */
const PATIENCE_MS = 3_000

const db = await testDatabase()
const sql = connect(db.urlOf('sourcing'), { max: 1, applicationName: 'test-claims' })
afterAll(() => sql.end())

/** Imports of that organization that are all due; the part of their files does not matter here. */
const imports = (orgId: string, first: number, last: number) =>
  db.owner.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`
      insert into sourcing.files (id, part_id, org_id, name, file_group, state, public, created_at)
      select 'file_' || n, 'part_1', ${orgId}, 'a', 'document', 'PENDING', false, now()
      from generate_series(${first}::integer, ${last}::integer) n`
    await tx`
      insert into sourcing.file_jobs (file_id, kind, sealed_url, next_attempt_at, deadline_at)
      select 'file_' || n, 'import', 'sealed', now() - interval '1 hour' + n * interval '1 ms', now() + interval '1 hour'
      from generate_series(${first}::integer, ${last}::integer) n`
  })

const claim = async (kinds: readonly JobRow['kind'][] = ['copy', 'import']) => {
  const startedMs = performance.now()
  const [job] = await claimJob(sql, crypto.randomUUID(), kinds)
  expect(performance.now() - startedMs).toBeLessThan(PATIENCE_MS)
  return job?.file_id
}

describe('of thousands of imports of one organization', () => {
  beforeAll(() => imports('org_greedy', 1, WAITING))

  test('two are worked on at a time, the oldest first', async () => {
    expect([await claim(['copy']), await claim(), await claim(), await claim()]).toEqual([
      undefined,
      'file_1',
      'file_2',
      undefined,
    ])
  })

  test('none keeps that of another waiting', async () => {
    await imports('org_modest', WAITING + 1, WAITING + 1)
    expect([await claim(), await claim()]).toEqual([`file_${WAITING + 1}`, undefined])
  })

  test('the next one follows when a worker is dead', async () => {
    await db.owner`update sourcing.file_jobs set next_attempt_at = now() where file_id = 'file_2'`
    expect([await claim(), await claim()]).toEqual(['file_3', undefined])
  })
})

test('whose last turn is longest ago has the next one, however many and old the imports of others are', async () => {
  await db.owner`truncate sourcing.file_jobs, sourcing.file_turns, sourcing.files cascade`
  await imports('org_first', 1, 10)
  await imports('org_second', 11, 20)
  const end = (id: string | undefined) => db.owner`delete from sourcing.file_jobs where file_id = ${id ?? ''}`
  const begun: (string | undefined)[] = []
  for (let n = 0; n < 3; n++) {
    const id = await claim()
    begun.push(id)
    await end(id)
  }
  expect(begun).toEqual(['file_1', 'file_11', 'file_2'])
  await imports('org_late', 21, 21)
  expect([await claim(), await claim(), await claim()]).toEqual(['file_21', 'file_12', 'file_3'])
})

test('what a worker reports when its job is over changes nothing', async () => {
  await db.owner`truncate sourcing.file_jobs, sourcing.file_turns, sourcing.files cascade`
  await imports('org_one', 1, 1)
  await db.owner.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`insert into sourcing.imports (file_id) values ('file_1')`
  })
  const progress = async () => [...(await db.owner`select received_bytes, total_bytes from sourcing.imports`)]
  const [job] = await claimJob(sql, crypto.randomUUID(), ['import'])
  if (!job) throw new Error('there is a job')
  expect(await extendLease(sql, job, { receivedBytes: 5, totalBytes: null })).toHaveLength(1)
  expect(await progress()).toEqual([{ received_bytes: '5', total_bytes: null }])
  await sql.begin(async (tx) => {
    await deleteJob(tx, job)
    await recordWhole(tx, 'file_1', 10)
  })
  expect(await extendLease(sql, job, { receivedBytes: 7, totalBytes: null })).toHaveLength(0)
  expect(await progress()).toEqual([{ received_bytes: '10', total_bytes: '10' }])
})
