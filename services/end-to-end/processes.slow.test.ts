import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { ensureStreams } from '../kit/bus/nats/streams.ts'
import { ApiClient } from '../testing/client.ts'
import { testDatabase } from '../testing/database.ts'
import { createFixtures, TEST_PASSWORD } from '../testing/marketplace.ts'
import { natsServer } from '../testing/nats-server.ts'
import { spawnService, startService, stopService } from '../testing/processes.ts'
import { signInOverHttp } from '../testing/sign-in.ts'
import { until } from '../testing/until.ts'

const server = await natsServer()
await server.start()
await ensureStreams({ url: server.url })
afterAll(() => server.close())

describe.each([
  ['postgres', undefined],
  ['nats', server.url],
] as const)('five processes on the %s bus', async (_, natsUrl) => {
  const db = await testDatabase()
  const identity = await startService('identity', db, natsUrl)
  const organization = await startService('organization', db, natsUrl)
  let sourcing = await startService('sourcing', db, natsUrl)
  const fixtures = await createFixtures(db, signInOverHttp(identity.client.url))
  const org = await fixtures.organization(['IP_OWNER'])

  const session = async (email: string) => {
    const client = new ApiClient(identity.client.url)
    await client.signIn(email, TEST_PASSWORD)
    return client
  }
  const status = async (token: string | undefined) =>
    (await new ApiClient(sourcing.client.url, token).get('/v1/parts')).status
  const BY_BUS = { withinMs: 3000 }

  test('a session revoked in one process is refused in another', async () => {
    const client = await session(org.administrator.email)
    expect(await status(client.accessToken)).toBe(200)
    await client.post('/v2.3/oauth/revoke')
    await until(async () => (await status(client.accessToken)) === 401, BY_BUS)
  })

  test('a role granted in one process takes effect in another', async () => {
    const member = await org.member([])
    const create = () => new ApiClient(sourcing.client.url, member.client.accessToken).post('/v1/parts', {})
    expect((await create()).status).toBe(403)
    await org.grant('IP owner', member.userId)
    await until(async () => (await create()).status === 200, BY_BUS)
  })

  test('a service that was down during a revocation refuses the token', async () => {
    const client = await session(org.administrator.email)
    expect(await status(client.accessToken)).toBe(200)
    await stopService(sourcing, 'SIGKILL')
    await client.post('/v2.3/oauth/revoke')
    sourcing = await startService('sourcing', db, natsUrl)
    expect(await status(client.accessToken)).toBe(401)
  })

  test('five seconds without identity, sessions are checked in Postgres', async () => {
    const client = await session(org.administrator.email)
    expect(await status(client.accessToken)).toBe(200)
    await stopService(identity, 'SIGKILL')
    // This change emits no event.
    await db.owner`update identity.sessions set ended_at = now() where user_id = ${org.administrator.userId}`
    await until(async () => (await status(client.accessToken)) === 401, { withinMs: 9000 })
  })

  test('SIGTERM stops a process with exit code 0', async () => {
    expect(await stopService(sourcing, 'SIGTERM')).toBe(0)
    expect(await stopService(organization, 'SIGTERM')).toBe(0)
  })
})

test('metrics contain the version, the requests and the outbox lag', async () => {
  const db = await testDatabase()
  const catalog = await startService('catalog', db)
  await catalog.client.get('/v1/materials')
  const scraped = async () => (await fetch(`${catalog.health}/metrics`)).text()
  // One process, the leader of the relay, reports the outbox.
  const ofOutbox = /^marketplace_outbox_oldest_seconds\{component="catalog"\} [\d.]+$/m
  await until(async () => ofOutbox.test(await scraped()), { what: 'the age of the outbox' })
  const metrics = await scraped()
  expect(metrics).toMatch(/^marketplace_build_info\{version="\d+\.\d+\.\d+",component="catalog"\} 1$/m)
  expect(metrics).toMatch(
    /^marketplace_http_request_duration_seconds_count\{.*operation="listMaterials",status="401",component="catalog"\} 1$/m,
  )
  expect((await fetch(`${catalog.health}/livez`)).status).toBe(200)
  await stopService(catalog, 'SIGTERM')
})

test('requests in flight at SIGTERM are completed', async () => {
  const db = await testDatabase()
  const identity = await startService('identity', db)
  const fixtures = await createFixtures(db, signInOverHttp(identity.client.url))
  const { administrator } = await fixtures.organization(['IP_OWNER'])
  const body = { grant_type: 'password', username: administrator.email, password: TEST_PASSWORD }
  const signIns = Array.from({ length: 8 }, () => new ApiClient(identity.client.url).post('/v2.3/oauth/token', body))
  // The remaining sign-ins wait for password hashing.
  await signIns[0]
  const exit = stopService(identity, 'SIGTERM')
  expect((await Promise.all(signIns)).map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
  expect(await exit).toBe(0)
})

test('a service that waits for Postgres is alive, writes no stack, and ends at SIGTERM', async () => {
  const db = await testDatabase()
  const nowhere = { name: db.name, urlOf: () => 'postgres://marketplace_identity:x@127.0.0.1:1/none' }
  const waiting = spawnService('identity', nowhere)
  const health = async (path: string) => (await fetch(`${waiting.health}/${path}`).catch(() => undefined))?.status
  await until(async () => (await health('livez')) === 200, { withinMs: 90_000 })
  expect(await health('readyz')).toBe(503)
  // The exit code of a process that SIGTERM ended.
  expect(await stopService(waiting, 'SIGTERM')).toBe(143)
  expect(await waiting.child.stderr.text()).toBe('')
})

test('all invalid variables are reported together, and the process exits with code 2', async () => {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, '..', 'identity', 'main.ts')], {
    env: { PATH: process.env.PATH ?? '', PORT: 'x', ENCRYPTION_KEYS: 'short' },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const errors = await child.stderr.text()
  expect(await child.exited).toBe(2)
  for (const name of ['PORT', 'ENCRYPTION_KEYS', 'DATABASE_URL']) expect(errors).toContain(name)
  expect(errors).not.toContain('short')
})
