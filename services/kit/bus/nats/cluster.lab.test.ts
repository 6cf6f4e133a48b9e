import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { ClusterInfo } from 'nats'
import {
  createEffects,
  deliveryViolations,
  effectsOf,
  emitValue,
  openBus,
  record,
  until,
} from '../../../testing/bus/harness.ts'
import { testDatabase } from '../../../testing/database.ts'
import { natsCluster } from '../../../testing/nats-server.ts'
import { connectOnce } from './connection.ts'
import { ensureStreams } from './streams.ts'

setDefaultTimeout(180_000)
const { owner, urlOf } = await testDatabase()
await createEffects(owner)
const cluster = await natsCluster(3)
afterAll(() => cluster.close())

const DOMAIN_TYPE = 'sourcing.clustered.emitted'
const NOTIFICATION_TYPE = 'cases.updated'
const SUBJECTS = 5

const isCurrent = (cluster: ClusterInfo | undefined) =>
  (cluster?.replicas ?? []).every(({ current, offline }) => current && !offline)

/** Whether every stream has three replicas, and none of them, nor of its consumers, is behind or offline. */
async function isWhole(): Promise<boolean> {
  const session = await connectOnce({ url: cluster.url }, 'looking').catch(() => undefined)
  if (!session) return false
  try {
    const names = ['DOMAIN', 'NOTIFICATIONS']
    const streams = await Promise.all(names.map((name) => session.jsm.streams.info(name)))
    if (!streams.every(({ cluster }) => cluster?.replicas?.length === 2 && isCurrent(cluster))) return false
    const consumers = await Promise.all(names.map((name) => Array.fromAsync(session.jsm.consumers.list(name))))
    return consumers.flat().every(({ cluster }) => isCurrent(cluster))
  } catch {
    return false
  } finally {
    await session.nc.close()
  }
}

test('nothing is lost, repeated or reordered while each node of a cluster is killed in turn and loses its store', async () => {
  await ensureStreams({ url: cluster.url, replicas: 3 })
  const address = { urlOf, natsUrl: cluster.url }
  const sourcing = await openBus(address, 'sourcing')
  const webhooks = await openBus(address, 'webhooks')
  sourcing.start(sourcing.bus.relay())
  webhooks.start(webhooks.bus.consume({ name: 'clustered', subjects: [DOMAIN_TYPE], handle: record }))
  webhooks.start(webhooks.bus.consume({ name: 'ingest', subjects: ['cases.>'], handle: record }))

  const handled = async (type: string) => (await effectsOf(owner, type)).length
  const load = { running: true, value: 0 }
  const emitting = (async () => {
    while (load.running) {
      const value = ++load.value
      // The consumer of a slow machine keeps up.
      if (value % 50 === 0) await until(async () => !load.running || (await handled(DOMAIN_TYPE)) > value - 200)
      await emitValue(sourcing.pool, DOMAIN_TYPE, `subject-${value % SUBJECTS}`, value)
      await emitValue(sourcing.pool, NOTIFICATION_TYPE, `subject-${value % SUBJECTS}`, value)
    }
  })()
  for (const node of cluster.nodes) {
    await until(isWhole)
    await node.kill()
    await node.emptyStore()
    // The two other nodes go on.
    const before = await handled(NOTIFICATION_TYPE)
    await until(async () => (await handled(NOTIFICATION_TYPE)) > before + 20)
    await node.start()
  }
  await until(isWhole)
  load.running = false
  await emitting
  for (const type of [DOMAIN_TYPE, NOTIFICATION_TYPE]) {
    await until(async () => (await handled(type)) >= load.value)
    expect(await deliveryViolations(owner, type)).toEqual([])
  }
  await Promise.all([sourcing.stop(), webhooks.stop()])
})
