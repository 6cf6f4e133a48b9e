import { expect, test } from 'bun:test'
import { catalogVariables } from '../catalog/config.ts'
import { createCatalog } from '../catalog/service.ts'
import { identityVariables } from '../identity/config.ts'
import { createIdentity } from '../identity/service.ts'
import { readConfig } from '../kit/config/read.ts'
import { open } from '../kit/service/run.ts'
import { captureLog } from '../testing/captured-log.ts'
import { emptyTestDatabase, migrateTest, testDatabase } from '../testing/database.ts'
import { freePort } from '../testing/free-port.ts'
import { TcpProxy } from '../testing/proxy.ts'
import { until } from '../testing/until.ts'

/** Starts identity without waiting for it. */
async function start(url: string) {
  const log = captureLog()
  const healthPort = freePort()
  const config = readConfig(identityVariables, {
    DATABASE_URL: url,
    PORT: '0',
    HOST: '127.0.0.1',
    HEALTH_PORT: String(healthPort),
    ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    LOG_LEVEL: 'warn',
    DRAIN_SECONDS: '0',
  })
  const service = await createIdentity(config, { logDestination: log.destination })
  const running = open({ services: [service], config, ownerOf: () => service })
  const health = async (path: string) =>
    (await fetch(`http://127.0.0.1:${healthPort}/${path}`).catch(() => undefined))?.status
  const warnings = () => log.texts.map((text): { msg: string; err?: { code: string } } => JSON.parse(text))
  return { running, health, warnings }
}

test('without Postgres a service waits inside the process, alive and not ready, and says so once', async () => {
  const db = await testDatabase()
  const proxy = new TcpProxy(db.ownerUrl)
  proxy.cut()
  const url = new URL(db.urlOf('identity'))
  url.port = new URL(proxy.url).port
  const { running, health, warnings } = await start(url.href)
  await until(() => warnings().length > 0)
  expect([await health('livez'), await health('readyz')]).toEqual([200, 503])
  proxy.restore()
  const { port, stop } = await running
  expect(await health('readyz')).toBe(200)
  expect((await fetch(`http://127.0.0.1:${port}/.well-known/jwks.json`)).status).toBe(200)
  expect(warnings().map(({ msg }) => msg)).toEqual(['not ready: waiting for Postgres'])
  await stop()
  proxy.close()
})

test('the catalog starts without encryption keys, and another service names the missing variable', async () => {
  const db = await testDatabase()
  const variables = {
    DATABASE_URL: db.urlOf('catalog'),
    PORT: '0',
    HEALTH_PORT: '0',
    DRAIN_SECONDS: '0',
    LOG_LEVEL: 'warn',
  }
  const config = readConfig(catalogVariables, variables)
  expect(Object.keys(config)).not.toContain('ENCRYPTION_KEYS')
  const catalog = await createCatalog(config)
  const { port, stop } = await open({ services: [catalog], config, ownerOf: () => catalog })
  expect((await fetch(`http://127.0.0.1:${port}/v1/materials`)).status).toBe(401)
  await stop()
  expect(() => readConfig(identityVariables, variables)).toThrow('ENCRYPTION_KEYS is missing')
})

test('without its schema a service waits for the migration', async () => {
  const db = await emptyTestDatabase()
  const { running, health, warnings } = await start(db.urlOf('identity'))
  await until(() => warnings().length > 0)
  expect(await health('readyz')).toBe(503)
  expect(warnings()).toMatchObject([
    {
      msg: 'not ready: waiting for the schema of this service, which scripts/migrate creates',
      err: { code: '42P01' },
    },
  ])
  await migrateTest(db.ownerUrl)
  const { stop } = await running
  expect(await health('readyz')).toBe(200)
  await stop()
})
