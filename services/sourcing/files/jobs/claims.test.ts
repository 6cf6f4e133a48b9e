import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from '../../../kit/db/client.ts'
import { testDatabase } from '../../../testing/database.ts'
import { claimJob, deleteJob, extendLease, type JobRow, recordComplete } from './queries.ts'

const WAITING = 20_000
/** Far below the statement timeout, and far above the time that a claim takes. */
const MAX_CLAIM_MS = 3_000

const db = await testDatabase()
const sql = connect(db.urlOf('sourcing'), { max: 1, applicationName: 'test-claims' })
afterAll(() => sql.end())

/** Due imports of an organization. Their part does not exist. */
const imports = (orgId: string, first: number, last: number) =>
  db.owner.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`
      insert into sourcing.files (id, part_id, org_id, name, file_group, state, public, created_at)
      select 'file_' || n, 'part_1', ${orgId}, 'a', 'document', 'PENDING', false, now()
      from generate_series(${first}::integer, ${last}::integer) n`
    await tx`
      insert into sourcing.file_jobs (file_id, kind, encrypted_url, next_attempt_at, deadline_at)
      select 'file_' || n, 'import', 'encrypted', now() - interval '1 hour' + n * interval '1 ms', now() + interval '1 hour'
      from generate_series(${first}::integer, ${last}::integer) n`
  })

const claim = async (kinds: readonly JobRow['kind'][] = ['copy', 'import']) => {
  const startedMs = performance.now()
  const [job] = await claimJob(sql, crypto.randomUUID(), kinds)
  expect(performance.now() - startedMs).toBeLessThan(MAX_CLAIM_MS)
  return job?.file_id
}

describe('with thousands of imports of one organization', () => {
  beforeAll(() => imports('org_many', 1, WAITING))

  test('two are claimed at a time, the oldest first', async () => {
    expect([await claim(['copy']), await claim(), await claim(), await claim()]).toEqual([
      undefined,
      'file_1',
      'file_2',
      undefined,
    ])
  })

  test('the import of another organization is claimed next', async () => {
    await imports('org_one', WAITING + 1, WAITING + 1)
    expect([await claim(), await claim()]).toEqual([`file_${WAITING + 1}`, undefined])
  })

  test('another import is claimed when a lease has expired', async () => {
    await db.owner`update sourcing.file_jobs set next_attempt_at = now() where file_id = 'file_2'`
    expect([await claim(), await claim()]).toEqual(['file_3', undefined])
  })
})

test('organizations are served round-robin, independent of the number and age of their imports', async () => {
  await db.owner`truncate sourcing.file_jobs, sourcing.file_job_claims, sourcing.files cascade`
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

test('a report after the end of the job changes nothing', async () => {
  await db.owner`truncate sourcing.file_jobs, sourcing.file_job_claims, sourcing.files cascade`
  await imports('org_one', 1, 1)
  await db.owner.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`insert into sourcing.imports (file_id) values ('file_1')`
  })
  const progress = async () => [...(await db.owner`select received_bytes, total_bytes from sourcing.imports`)]
  const [job] = await claimJob(sql, crypto.randomUUID(), ['import'])
  if (!job) throw new Error('no job was claimed')
  expect(await extendLease(sql, job, { receivedBytes: 5, totalBytes: null })).toHaveLength(1)
  expect(await progress()).toEqual([{ received_bytes: '5', total_bytes: null }])
  await sql.begin(async (tx) => {
    await deleteJob(tx, job)
    await recordComplete(tx, 'file_1', 10)
  })
  expect(await extendLease(sql, job, { receivedBytes: 7, totalBytes: null })).toHaveLength(0)
  expect(await progress()).toEqual([{ received_bytes: '10', total_bytes: '10' }])
})
