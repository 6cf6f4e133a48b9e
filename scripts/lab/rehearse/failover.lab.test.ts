import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServiceName } from '../../../proto/services.ts'
import { ensureStreams } from '../../../services/kit/bus/nats/streams.ts'
import { connectService } from '../../../services/kit/db/connections.ts'
import { isDependencyFailure } from '../../../services/kit/db/failures.ts'
import { openSession } from '../../../services/kit/sessions/session.ts'
import { Deployment } from '../../../services/testing/deployment.ts'
import { MarketLoad } from '../../../services/testing/market-load.ts'
import { createFixtures } from '../../../services/testing/marketplace.ts'
import { natsServer } from '../../../services/testing/nats-server.ts'
import { TcpProxy } from '../../../services/testing/proxy.ts'
import { WebhookReceiver } from '../../../services/testing/receiver.ts'
import { signInOverHttp } from '../../../services/testing/sign-in.ts'
import { until } from '../../../services/testing/until.ts'
import { importDefaults } from '../../commands/operator/catalog.ts'
import { backUp, giveToPostgres, migrateAsOwner, passwordsOf, rehearsalFolder, startServer } from './server.ts'

setDefaultTimeout(300_000)
const folder = await rehearsalFolder('failover')
afterAll(() => rm(folder, { recursive: true, force: true }))
const env = {
  ALLOW_PRIVATE_ADDRESSES: 'true',
  RATE_LIMIT_PER_SECOND: '100000',
  RATE_LIMIT_BURST: '100000',
}
/** From the promotion to the last 503. */
const MAX_RECOVERY_MS = 15_000

/**
 * Pools, pipelined reads and sessions of the services do not use a standby, and treat it like a server that is away.
 */
async function expectRefused(standbyUrl: string): Promise<void> {
  const { sql, reads, close } = connectService(standbyUrl, { size: 4, applicationName: 'test-standby' })
  const attempts = [
    sql`select 1`,
    reads.short((on) => on`select 1`),
    openSession(standbyUrl, { applicationName: 'test-standby' }),
  ]
  for (const { reason, status } of (await Promise.allSettled(attempts)) as PromiseRejectedResult[]) {
    expect([status, isDependencyFailure(reason)]).toEqual(['rejected', true])
  }
  await close()
}

test('the primary is killed under load and the standby promoted: nothing acknowledged is lost, and 503 ends in seconds', async () => {
  const nats = await natsServer()
  await nats.start()
  await ensureStreams({ url: nats.url })
  const primary = await startServer(folder, 'primary', { wal_level: 'replica', wal_keep_size: '256MB' })
  await migrateAsOwner(primary.db, passwordsOf(''))
  await importDefaults(primary.db.ownerUrl)

  const target = join(folder, 'standby')
  await backUp(primary.db.ownerUrl, primary.data, target)
  await Bun.write(join(target, 'standby.signal'), '')
  await giveToPostgres(target)
  const { hostname, port, username, password } = new URL(primary.db.ownerUrl)
  const standby = await startServer(folder, 'standby', {
    primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password}`,
  })
  await expectRefused(standby.db.ownerUrl)

  // From now on a commit is acknowledged when the standby has it.
  await primary.db.owner.unsafe(`alter system set synchronous_standby_names = '*'`)
  await primary.db.owner`select pg_reload_conf()`
  const isSynchronous = async () =>
    (await primary.db.owner`select from pg_stat_replication where sync_state = 'sync'`).length === 1
  await until(isSynchronous, { what: 'synchronous replication' })

  // As the endpoint of a managed database, which leads to the primary.
  const endpoint = new TcpProxy(primary.db.ownerUrl)
  const through = (server: string) => (service: ServiceName) => {
    const url = new URL(primary.db.urlOf(service))
    url.port = new URL(server).port
    return url.href
  }
  const urlOf = through(endpoint.url)
  const db = { name: primary.db.name, urlOf, readUrlOf: through(standby.db.ownerUrl) }
  const deployment = await Deployment.start({ db, natsUrl: nats.url, env, replicas: 1 })
  const fixtures = await createFixtures({ ...primary.db, urlOf }, signInOverHttp(deployment.url))
  const org = await fixtures.organization(['IP_OWNER', 'CONSUMER'])
  const receiver = new WebhookReceiver()
  await receiver.subscribe(org.administrator.client, ['cases.created'])
  const load = new MarketLoad(org, deployment.url)
  await load.more(10)
  expect(load.failures).toEqual([])

  // The endpoint leads to the standby before it is the primary.
  await primary.kill()
  endpoint.switchTo(standby.db.ownerUrl)
  const refused = load.failures.length
  await until(() => load.failures.length > refused + 10)
  const promotedAt = performance.now()
  await standby.db.owner`select pg_promote()`
  let [known, lastFailureMs] = [load.failures.length, promotedAt]
  const isQuiet = () => {
    const nowMs = performance.now()
    if (load.failures.length > known) [known, lastFailureMs] = [load.failures.length, nowMs]
    return nowMs - lastFailureMs > 5_000
  }
  await until(isQuiet, { withinMs: 60_000, what: 'an end of the failures' })
  await load.more(10)
  await load.stop()

  const statuses = Object.groupBy(load.failures, (failure) => /: (\d{3}) /.exec(failure)?.[1] ?? failure)
  const recoveryMs = Math.round(lastFailureMs - promotedAt)
  console.log(
    `${load.total} requests, ${load.failures.length} were 503, the last one ${recoveryMs} ms after the promotion`,
  )
  expect(Object.keys(statuses)).toEqual(['503'])
  expect(recoveryMs).toBeLessThan(MAX_RECOVERY_MS)
  const ids = async (rows: Promise<Iterable<{ id: string }>>) => new Set([...(await rows)].map(({ id }) => id))
  const cases = await ids(standby.db.owner<{ id: string }[]>`select id from sourcing.cases`)
  const parts = await ids(standby.db.owner<{ id: string }[]>`select id from sourcing.parts`)
  expect(load.cases.size).toBeGreaterThan(20)
  expect([...load.cases].filter((id) => !cases.has(id))).toEqual([])
  expect([...load.parts].filter((id) => !parts.has(id))).toEqual([])
  await load.delivered(receiver)

  for (const end of await deployment.stop()) expect(end).toMatchObject({ exitCode: 0 })
  endpoint.close()
  await standby.stop()
  await nats.close()
})
