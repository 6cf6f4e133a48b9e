import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import {
  createEffects,
  deliveryViolations,
  effectsOf,
  emitValue,
  openBus,
  record,
  subscribed,
  until,
} from '../../../testing/bus/harness.ts'
import { testDatabase } from '../../../testing/database.ts'
import { natsServer } from '../../../testing/nats-server.ts'
import { emitAny } from '../outbox/emit.ts'
import { markUnsent } from '../outbox/queries.ts'
import { connectOnce } from './connection.ts'
import { wavesOf } from './publisher.ts'
import { ensureStreams } from './streams.ts'

/** Guarantees of the streams beyond those of every driver. */
setDefaultTimeout(60_000)
const { owner, urlOf } = await testDatabase()
await createEffects(owner)
const server = await natsServer()
await server.start()
afterAll(() => server.close())

const address = { urlOf, natsUrl: server.url }
const openBusWithRelay = async () => {
  const sourcing = await openBus(address, 'sourcing')
  sourcing.start(sourcing.bus.relay())
  return sourcing
}

test('events emitted before the streams exist wait and arrive', async () => {
  const sourcing = await openBusWithRelay()
  const webhooks = await openBus(address, 'webhooks')
  const type = 'sourcing.early.emitted'
  webhooks.start(webhooks.bus.consume({ name: 'early', subjects: [type], handle: record }))
  await emitValue(sourcing.pool, type, 'a', 1)
  await until(async () => (await sourcing.bus.lag()).outbox?.waiting === 1)
  await ensureStreams({ url: server.url })
  await until(async () => (await effectsOf(owner, type)).length === 1)
  await until(async () => (await sourcing.bus.lag()).outbox?.waiting === 0)
  await Promise.all([sourcing.stop(), webhooks.stop()])
})

test('three copies on a single server: refused with the variable and the value of the chart', async () => {
  const alone = await natsServer()
  await alone.start()
  await expect(ensureStreams({ url: alone.url, replicas: 3 })).rejects.toThrow(
    'Set NATS_STREAM_REPLICAS (nats.streamReplicas of the chart) to 1 for a single server, or to at most the number of servers.',
  )
  await ensureStreams({ url: alone.url, replicas: 1 })
  await alone.close()
})

test('a notification is kept for a consumer that comes later, also after a restart of the server', async () => {
  const sourcing = await openBusWithRelay()
  await sourcing.pool.begin((tx) => emitAny(tx, { type: 'cases.created', subject: 'case_1', data: { value: 1 } }))
  await sourcing.pool.begin((tx) =>
    emitAny(tx, { type: 'assignments.status.updated', subject: 'a_1', data: { value: 2 } }),
  )
  await until(async () => (await sourcing.bus.lag()).outbox?.waiting === 0)
  await server.kill()
  await server.start()
  const webhooks = await openBus(address, 'webhooks')
  webhooks.start(webhooks.bus.consume({ name: 'ingest', subjects: ['cases.>', 'assignments.>'], handle: record }))
  await until(async () => (await effectsOf(owner, 'assignments.status.updated')).length === 1)
  expect(await effectsOf(owner, 'cases.created')).toHaveLength(1)
  await Promise.all([sourcing.stop(), webhooks.stop()])
})

test('repeating the set-up of the streams keeps stored events and changes the settings', async () => {
  const sourcing = await openBusWithRelay()
  const session = await connectOnce({ url: server.url }, 'looking')
  const notifications = () => session.jsm.streams.info('NOTIFICATIONS')
  const { messages } = (await notifications()).state
  await sourcing.pool.begin((tx) => emitAny(tx, { type: 'cases.updated', subject: 'case_1', data: { value: 1 } }))
  await until(async () => (await notifications()).state.messages === messages + 1)
  await ensureStreams({ url: server.url, maxAgeDays: 8 })
  const { config, state } = await notifications()
  const common = { retention: 'limits', storage: 'file', discard: 'new', max_age: 8 * 24 * 3600 * 1e9 }
  expect({ ...config, messages: state.messages }).toMatchObject({
    ...common,
    subjects: ['cases.>', 'assignments.>'],
    messages: messages + 1,
  })
  const domain = await session.jsm.streams.info('DOMAIN')
  expect(domain.config).toMatchObject({
    ...common,
    subjects: ['identity.>', 'catalog.>', 'sourcing.>', 'organization.>', 'webhooks.>'],
  })
  await session.nc.close()
  await sourcing.stop()
})

test('a lost stream is refilled from the outboxes without repeated effects', async () => {
  const sourcing = await openBusWithRelay()
  const webhooks = await openBus(address, 'webhooks')
  const type = 'sourcing.refilled.emitted'
  const since = new Date().toISOString()
  webhooks.start(webhooks.bus.consume({ name: 'refilled', subjects: [type], handle: record }))
  for (let value = 1; value <= 20; value++) await emitValue(sourcing.pool, type, 'a', value)
  await until(async () => (await effectsOf(owner, type)).length === 20)
  const session = await connectOnce({ url: server.url }, 'looking')
  await webhooks.stop()
  for (let value = 21; value <= 40; value++) await emitValue(sourcing.pool, type, 'a', value)
  await until(async () => (await sourcing.bus.lag()).outbox?.waiting === 0)
  await session.jsm.streams.delete('DOMAIN')
  await ensureStreams({ url: server.url })
  await markUnsent(owner, 'sourcing', since)
  const restarted = await openBus(address, 'webhooks')
  restarted.start(restarted.bus.consume({ name: 'refilled', subjects: [type], handle: record }))
  await until(async () => (await effectsOf(owner, type)).length >= 40)
  expect(await deliveryViolations(owner, type)).toEqual([])
  await session.nc.close()
  await Promise.all([sourcing.stop(), restarted.stop()])
})

test('a stream that is recreated while it is read is read again', async () => {
  const sourcing = await openBusWithRelay()
  const webhooks = await openBus(address, 'webhooks')
  const type = 'sourcing.found.emitted'
  webhooks.start(webhooks.bus.consume({ name: 'found', subjects: [type], handle: record }))
  const received: string[] = []
  let loads = 0
  await webhooks.bus.subscribe({
    subjects: subscribed(type),
    onEvent: (event) => void received.push(event.id),
    onGap: () => void loads++,
  })
  await emitValue(sourcing.pool, type, 'a', 1)
  await until(async () => (await effectsOf(owner, type)).length === 1)
  const session = await connectOnce({ url: server.url }, 'looking')
  await session.jsm.streams.delete('DOMAIN')
  await ensureStreams({ url: server.url })
  await until(() => loads === 2 && webhooks.bus.lastHeartbeat('sourcing') > 0)
  const id = await emitValue(sourcing.pool, type, 'a', 2)
  await until(async () => (await effectsOf(owner, type)).length === 2)
  await until(() => received.includes(id))
  await session.nc.close()
  await Promise.all([sourcing.stop(), webhooks.stop()])
})

test('a consumer that the server has lost is created again at its position', async () => {
  const sourcing = await openBusWithRelay()
  const webhooks = await openBus(address, 'webhooks')
  const type = 'sourcing.deleted.emitted'
  webhooks.start(webhooks.bus.consume({ name: 'deleted', subjects: [type], handle: record }))
  await emitValue(sourcing.pool, type, 'a', 1)
  await until(async () => (await effectsOf(owner, type)).length === 1)
  const session = await connectOnce({ url: server.url }, 'looking')
  for await (const { name } of session.jsm.consumers.list('DOMAIN')) await session.jsm.consumers.delete('DOMAIN', name)
  for (let value = 2; value <= 10; value++) await emitValue(sourcing.pool, type, 'a', value)
  await until(async () => (await effectsOf(owner, type)).length === 10)
  expect(await deliveryViolations(owner, type)).toEqual([])
  await session.nc.close()
  await Promise.all([sourcing.stop(), webhooks.stop()])
})

test('a consumer can change its subjects between releases', async () => {
  const sourcing = await openBusWithRelay()
  const types = ['sourcing.release.first', 'catalog.release.second', 'sourcing.release.third'] as const
  const emitted = async (type: string, value: number) => {
    await emitValue(sourcing.pool, type, 'a', value)
    await until(async () => (await sourcing.bus.lag()).outbox?.waiting === 0)
  }
  const releases = [[types[0]], [...types], [types[2]]]
  for (const [release, subjects] of releases.entries()) {
    const webhooks = await openBus(address, 'webhooks')
    webhooks.start(webhooks.bus.consume({ name: 'release', subjects, handle: record }))
    for (const type of types) await emitted(type, release)
    for (const type of subjects) {
      await until(async () => (await effectsOf(owner, type)).some(({ value }) => value === release))
    }
    await webhooks.stop()
  }
  const valuesOf = async (type: string) => (await effectsOf(owner, type)).map(({ value }) => value)
  // A new subject starts at the cursor of the consumer, not at the time of the release.
  expect(await Promise.all(types.map(valuesOf))).toEqual([
    [0, 1],
    [0, 1],
    [0, 1, 2],
  ])
  await sourcing.stop()
})

test('a full stream refuses new events, which wait in the outbox', async () => {
  const sourcing = await openBusWithRelay()
  const webhooks = await openBus(address, 'webhooks')
  const type = 'sourcing.full.emitted'
  webhooks.start(webhooks.bus.consume({ name: 'full', subjects: [type], handle: record }))
  await webhooks.bus.subscribe({ subjects: subscribed(type), onEvent() {}, onGap() {} })
  const silence = () => performance.now() - webhooks.bus.lastHeartbeat('sourcing')
  await until(() => silence() < 500)
  const session = await connectOnce({ url: server.url }, 'looking')
  const { state } = await session.jsm.streams.info('DOMAIN')
  await ensureStreams({ url: server.url, maxBytes: state.bytes + 1000 })
  for (let value = 1; value <= 20; value++) await emitValue(sourcing.pool, type, 'a', value)
  await until(async () => (await effectsOf(owner, type)).length > 0)
  // A blocked relay sends no heartbeats.
  await until(() => silence() > 2000 && silence() < Number.POSITIVE_INFINITY)
  expect((await sourcing.bus.lag()).outbox?.waiting).toBeGreaterThan(0)
  await ensureStreams({ url: server.url })
  await until(async () => (await effectsOf(owner, type)).length === 20)
  await until(() => silence() < 500)
  expect(await deliveryViolations(owner, type)).toEqual([])
  await session.nc.close()
  await Promise.all([sourcing.stop(), webhooks.stop()])
})

test('heartbeats are received and not stored', async () => {
  const sourcing = await openBusWithRelay()
  await sourcing.bus.subscribe({ subjects: subscribed('sourcing.>'), onEvent() {}, onGap() {} })
  await until(() => sourcing.bus.lastHeartbeat('sourcing') > 0)
  const session = await connectOnce({ url: server.url }, 'looking')
  const { state } = await session.jsm.streams.info('DOMAIN', { subjects_filter: '>' })
  expect(Object.keys(state.subjects ?? {}).filter((subject) => subject.includes('heartbeat'))).toEqual([])
  await session.nc.close()
  await sourcing.stop()
})

test('at most one event of each subject is published at a time', () => {
  const rows = ['a', 'b', 'a', 'c', 'a', 'b'].map((subject, seq) => ({ subject, seq }))
  expect(wavesOf(rows).map((wave) => wave.map(({ subject, seq }) => `${subject}${seq}`))).toEqual([
    ['a0', 'b1', 'c3'],
    ['a2', 'b5'],
    ['a4'],
  ])
})
