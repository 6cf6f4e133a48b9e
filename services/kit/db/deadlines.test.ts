import { afterAll, expect, test } from 'bun:test'
import type { Socket, TCPSocketListener } from 'bun'
import { testDatabase } from '../../testing/database.ts'
import { connect } from './client.ts'
import { isDependencyFailure, isInterruption } from './failures.ts'

/** Without the patch of postgres.js these queries never settle. */
const { ownerUrl } = await testDatabase()
const servers: TCPSocketListener[] = []
afterAll(() => {
  for (const server of servers) server.stop(true)
})

/** The URL of a server that accepts connections and speaks no Postgres. */
function serverUrl(onOpen: (socket: Socket) => void = () => {}): string {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { open: onOpen, data: () => {} } })
  servers.push(server)
  return `postgres://user:password@127.0.0.1:${server.port}/db`
}

const failureOf = (work: Promise<unknown>) => work.then(() => undefined).catch((error: { code: string }) => error)

test('a statement over its deadline fails, and the pool opens another connection', async () => {
  const pool = connect(ownerUrl, { max: 1, applicationName: 'deadline', statementSeconds: 0.2 })
  const failures = await Promise.all([
    failureOf(pool`select pg_sleep(30)`),
    failureOf(pool.begin((tx) => tx`select pg_sleep(30)`)),
  ])
  expect(failures).toMatchObject([{ code: 'QUERY_TIMEOUT' }, { code: 'QUERY_TIMEOUT' }])
  expect(failures.every(isDependencyFailure)).toBe(true)
  // The same work may be as slow each time.
  expect(failures.some(isInterruption)).toBe(false)
  expect(await pool`select 1 as alive`).toMatchObject([{ alive: 1 }])
  await pool.end({ timeout: 1 })
})

test('each of many short statements has a deadline of its own', async () => {
  const pool = connect(ownerUrl, { max: 1, applicationName: 'deadline', maxPipelined: 100, statementSeconds: 0.5 })
  const sleeps = Array.from({ length: 10 }, () => pool`select pg_sleep(0.1)`)
  expect(await Promise.all(sleeps)).toHaveLength(10)
  await pool.end({ timeout: 1 })
})

test('a server that closes each connection: queries fail', async () => {
  const pool = connect(
    serverUrl((socket) => void socket.end()),
    { max: 2, applicationName: 'closed' },
  )
  const failures = await Promise.all(Array.from({ length: 5 }, () => failureOf(pool`select 1`)))
  expect(failures.map((error) => error?.code)).toEqual(Array(5).fill('CONNECTION_CLOSED'))
  await pool.end({ timeout: 1 })
})

test('while the last connect failed, one query connects and the others fail at once', async () => {
  const opened: Socket[] = []
  const pool = connect(
    serverUrl((socket) => void opened.push(socket)),
    { max: 4, applicationName: 'unreachable' },
  )
  const first = failureOf(pool`select 1`)
  while (opened.length < 1) await Bun.sleep(1)
  opened[0]?.end()
  expect(await first).toMatchObject({ code: 'CONNECTION_CLOSED' })
  const probe = failureOf(pool`select 1`)
  expect(await failureOf(pool`select 1`)).toMatchObject({ code: 'CONNECTION_CLOSED' })
  while (opened.length < 2) await Bun.sleep(1)
  opened[1]?.end()
  expect(await probe).toMatchObject({ code: 'CONNECTION_CLOSED' })
  expect(opened).toHaveLength(2)
  await pool.end({ timeout: 1 })
})
