import { afterAll, expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { connect } from './client.ts'

/** Without the patch of postgres.js, each of these tests ends the process or blocks the pool. */
const { owner, ownerUrl } = await testDatabase()
const pool = connect(ownerUrl, { max: 1, applicationName: 'victim' })
await owner`create table halves (half text not null)`

afterAll(() => pool.end({ timeout: 1 }))

const codeOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'none',
    (error: { code?: string }) => error.code,
  )

/** Terminates the session of the pool when it is in this state with this last statement. */
async function killAt(state: 'active' | 'idle in transaction', statement: string): Promise<void> {
  for (;;) {
    const killed = await owner`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'victim' and datname = current_database() and state = ${state} and query = ${statement}`
    if (killed.length > 0) return
  }
}

test('a session killed during a statement fails its transaction, and the pool reconnects', async () => {
  for (let round = 0; round < 3; round++) {
    const transaction = codeOf(pool.begin((tx) => tx`select pg_sleep(30)`))
    await killAt('active', 'select pg_sleep(30)')
    expect(await transaction).toMatch(/CONNECTION_CLOSED|57P01|ECONNRESET/)
    expect(await pool<{ alive: number }[]>`select 1 as alive`).toMatchObject([{ alive: 1 }])
  }
})

test('the remaining statements of a transaction do not run on a new session', async () => {
  const between = Promise.withResolvers<void>()
  const transaction = pool.begin(async (tx) => {
    await tx`insert into halves (half) values (${'first'})`
    await tx`select 1`
    await between.promise
    await tx`insert into halves (half) values (${'second'})`
  })
  const outcome = codeOf(transaction)
  await killAt('idle in transaction', 'select 1')
  expect(await outcome).toMatch(/CONNECTION_CLOSED|57P01|ECONNRESET/)
  // The pool now has a new session on the connection object of the failed transaction.
  await pool`select 1`
  between.resolve()
  await pool`select 1`
  expect(await owner`select half from halves`).toHaveLength(0)
})

test('pipelined statements of a transaction are rejected when its session is killed', async () => {
  const transaction = pool.begin((tx) => Promise.all([tx`select pg_sleep(30)`, tx`select 2`, tx`select 3`]))
  const outcome = codeOf(transaction)
  await killAt('active', 'select pg_sleep(30)')
  expect(await outcome).toMatch(/CONNECTION_CLOSED|57P01|ECONNRESET/)
  expect(await pool<{ alive: number }[]>`select 1 as alive`).toMatchObject([{ alive: 1 }])
})
