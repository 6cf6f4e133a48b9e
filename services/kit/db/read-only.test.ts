import { afterAll, expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { openSession } from '../sessions/session.ts'
import { connect } from './client.ts'
import { isDependencyFailure } from './failures.ts'

/** Sessions are made read-only, as after a failover that leaves them at the server that was the primary. */
const db = await testDatabase()
const sql = connect(db.urlOf('sourcing'), { max: 1, applicationName: 'test-read-only' })
afterAll(() => sql.end({ timeout: 1 }))

const insert = (org: string, on = sql) =>
  on`insert into sourcing.storage_usage (org_id, stored_bytes) values (${org}, 0) returning org_id`
const session = async () => (await sql<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]?.pid
const failureOf = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error)

test('a write that the server refuses is a dependency failure, and the next one uses a new connection', async () => {
  const before = await session()
  await sql`set default_transaction_read_only = on`
  const failure = await failureOf(insert('org_1'))
  expect([failure, isDependencyFailure(failure)]).toEqual([expect.objectContaining({ code: '25006' }), true])
  expect(await insert('org_1')).toMatchObject([{ org_id: 'org_1' }])
  expect(await session()).not.toBe(before)
})

test('a transaction fails as a whole, and the next one is committed', async () => {
  await sql`set default_transaction_read_only = on`
  const begin = () =>
    sql.begin(async (tx) => {
      await tx`select 1`
      await tx`insert into sourcing.storage_usage (org_id, stored_bytes) values ('org_2', 0)`
    })
  expect(await failureOf(begin())).toMatchObject({ code: '25006' })
  await begin()
  expect(await db.owner`select org_id from sourcing.storage_usage where org_id = 'org_2'`).toHaveLength(1)
})

test('of many writes in flight each settles', async () => {
  const pool = connect(db.urlOf('sourcing'), { max: 2, applicationName: 'test-read-only', maxPipelined: 10 })
  const writes = (from: number) => Array.from({ length: 10 }, (_, n) => insert(`org_${from + n}`, pool))
  await pool.unsafe('set default_transaction_read_only = on')
  const settled = await Promise.allSettled(writes(10))
  expect(settled.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0)
  const answers = await Promise.all(writes(20))
  expect(answers).toHaveLength(10)
  await pool.end({ timeout: 1 })
})

test('a session with locks is lost', async () => {
  const held = await openSession(db.urlOf('sourcing'), { applicationName: 'test-read-only' })
  await held.sql`set default_transaction_read_only = on`
  expect(await failureOf(insert('org_3', held.sql))).toMatchObject({ code: '25006' })
  if (!held.lost.aborted) await new Promise((resolve) => held.lost.addEventListener('abort', resolve))
  expect(held.lost.aborted).toBe(true)
})
