import { expect, test } from 'bun:test'
import { connectOnce } from '../../../services/kit/bus/nats/connection.ts'
import { connect } from '../../../services/kit/db/client.ts'
import { testServerUrl } from '../../../services/testing/database.ts'
import { freePort } from '../../../services/testing/free-port.ts'
import { PermanentRefusal, waitForServer } from './wait-for-server.ts'

const failureOf = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error as Error)
const signIn = async (url: string) => {
  const sql = connect(url, { max: 1, applicationName: 'test' })
  await sql`select 1`.finally(() => sql.end({ timeout: 1 }))
}
const postgres = (url: string) =>
  failureOf(waitForServer({ name: 'Postgres on db', connect: () => signIn(url), waitMs: 0 }))
const changed = (parts: Partial<URL>) => Object.assign(new URL(testServerUrl()), parts).href

test.each([
  ['a wrong password', { password: 'wrong' }, 'password authentication failed for user "postgres"'],
  ['an unknown database', { pathname: '/nowhere' }, 'database "nowhere" does not exist'],
])('%s is refused at once, in one sentence', async (_, parts, reason) => {
  const failure = await postgres(changed(parts))
  expect(failure).toBeInstanceOf(PermanentRefusal)
  expect(failure?.message).toBe(`Postgres on db refuses the connection: ${reason}.`)
})

test.each([
  ['a port without a server', { port: String(freePort()) }, 'nothing listens on this port'],
  ['an unknown host', { hostname: 'database.invalid' }, 'the host is unknown'],
])('%s may answer later', async (_, parts, reason) => {
  const failure = await postgres(changed(parts))
  expect(failure).not.toBeInstanceOf(PermanentRefusal)
  expect(failure?.message).toBe(`Postgres on db does not answer: ${reason}.`)
})

test('NATS that does not listen may answer later', async () => {
  const url = `nats://127.0.0.1:${freePort()}`
  const failure = await failureOf(
    waitForServer({ name: 'NATS on nats', connect: () => connectOnce({ url }, 'test'), waitMs: 0 }),
  )
  expect([failure instanceof PermanentRefusal, failure?.message]).toEqual([
    false,
    'NATS on nats does not answer: nothing listens on this port.',
  ])
})

test('a server that answers later ends the wait', async () => {
  let attempts = 0
  const connect = async () => {
    if (++attempts < 3) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  }
  await waitForServer({ name: 'Postgres on db', connect })
  expect(attempts).toBe(3)
})
