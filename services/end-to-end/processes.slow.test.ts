import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { ApiClient } from '../testing/client.ts'
import { testDatabase } from '../testing/database.ts'
import { createFixtures, TEST_PASSWORD } from '../testing/marketplace.ts'
import { spawnService, startService, stopService } from '../testing/processes.ts'
import { signInOverHttp } from '../testing/sign-in.ts'
import { until } from '../testing/until.ts'

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
