import { afterAll, describe, expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import type { Sql } from './client.ts'
import { connectService } from './connections.ts'

const { owner, ownerUrl } = await testDatabase()
const LOCK = 4711

const { sql, reads, close } = connectService(ownerUrl, { size: 4, applicationName: 'reads' })
afterAll(close)

const session = async (connection: Sql) => {
  const [row] = await connection<{ pid: number }[]>`select pg_backend_pid() as pid`
  return row?.pid
}
const waitForLock = (connection: Sql) => connection`select pg_advisory_xact_lock_shared(${LOCK})`

/** Runs `work` while a pipelined read waits for a lock. */
async function whileBlocked(work: () => Promise<void>): Promise<unknown> {
  const locked = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  const lock = owner.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${LOCK})`
    locked.resolve()
    await done.promise
  })
  await locked.promise
  const blocked = reads.short(waitForLock).then(
    () => 'answered',
    (error: { code?: string }) => error.code,
  )
  for (let waits = 0; waits === 0; ) {
    const rows = await owner`select 1 from pg_locks where locktype = 'advisory' and not granted`
    waits = rows.length
  }
  await work().finally(done.resolve)
  await lock
  return blocked
}

describe('pipelined reads', () => {
  test('share one connection, and each read gets its own rows', async () => {
    const numbers = Array.from({ length: 40 }, (_, number) => number)
    const answers = await Promise.all(
      numbers.map((number) =>
        reads.short(
          (short) =>
            short<{ pid: number; number: number }[]>`select pg_backend_pid() as pid, ${number}::integer as number`,
        ),
      ),
    )
    expect(answers.map(([row]) => row?.number)).toEqual(numbers)
    expect(new Set(answers.map(([row]) => row?.pid)).size).toBe(1)
  })

  test('use the pool during a slow read and the shared connection afterwards', async () => {
    const sharedSession = await reads.short(session)
    const outcome = await whileBlocked(async () => {
      // Reads within the first milliseconds may still wait for the slow read.
      let other: number | undefined
      const deadline = Bun.nanoseconds() + 5e9
      while (Bun.nanoseconds() < deadline && (other === undefined || other === sharedSession)) {
        other = await Promise.race([reads.short(session), Bun.sleep(20).then(() => undefined)])
      }
      expect(other).not.toBeUndefined()
      expect(other).not.toBe(sharedSession)
    })
    expect(outcome).toBe('answered')
    let now = await reads.short(session)
    while (now !== sharedSession) now = await reads.short(session)
  })

  test('return to the shared connection after a slow read', async () => {
    const sharedSession = await reads.short(session)
    await reads.short((short) => short`select pg_sleep(0.2)`)
    const sessions = new Set<number | undefined>()
    for (let read = 0; read < 50; read++) sessions.add(await reads.short(session))
    expect([...sessions]).toEqual([sharedSession])
  })

  test('are independent: a failed read does not affect others', async () => {
    const results = await Promise.allSettled([
      reads.short((short) => short`select 1 / ${0}::integer`),
      reads.short((short) => short<{ one: number }[]>`select ${1}::integer as one`),
    ])
    expect(results[0]).toMatchObject({ status: 'rejected', reason: { code: '22012' } })
    expect(results[1]).toMatchObject({ status: 'fulfilled', value: [{ one: 1 }] })
  })

  test('in flight fail when the session is killed, and later ones use a new session', async () => {
    const before = await reads.short(session)
    const outcome = await whileBlocked(async () => {
      await owner`select pg_terminate_backend(${before ?? 0})`
    })
    expect(outcome).toMatch(/CONNECTION_CLOSED|57P01|ECONNRESET/)
    expect(await reads.short(session)).not.toBe(before)
  })

  test('see previously committed rows', async () => {
    await owner`create table seen (number integer not null)`
    for (let number = 1; number <= 20; number++) {
      await sql`insert into seen (number) values (${number})`
      const [row] = await reads.short((short) => short<{ seen: number }[]>`select count(*)::integer as seen from seen`)
      expect(row?.seen).toBe(number)
    }
  })
})

test('pool and pipelined reads together use the configured number of connections', async () => {
  const small = connectService(ownerUrl, { size: 4, applicationName: 'counted' })
  await Promise.all([
    ...Array.from({ length: 20 }, () => small.sql`select pg_sleep(0.02)`),
    ...Array.from({ length: 20 }, () => small.reads.short((short) => short`select pg_sleep(0.002)`)),
  ])
  const rows = await owner`select 1 from pg_stat_activity where application_name = 'counted'`
  expect(rows).toHaveLength(4)
  await small.close()
})

test('with fewer than four connections pipelined reads use the pool', async () => {
  const small = connectService(ownerUrl, { size: 1, applicationName: 'small' })
  expect(await small.reads.short(session)).toBe(await session(small.sql))
  await small.close()
})
