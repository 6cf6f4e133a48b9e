import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { testDatabase } from '../../../testing/database.ts'
import { natsServer } from '../../../testing/nats-server.ts'
import { announce, createEffects, effectsOf, faultsOf, joinBus, record, until } from '../conformance/harness.ts'
import { emit } from '../outbox/emit.ts'
import { unsend } from '../outbox/queries.ts'
import { connectOnce } from './connection.ts'
import { wavesOf } from './publisher.ts'
import { ensureStreams } from './streams.ts'

/** What the streams themselves promise, beyond what every driver does. */
setDefaultTimeout(60_000)
const { owner, urlOf } = await testDatabase()
await createEffects(owner)
const server = await natsServer()
await server.start()
afterAll(() => server.close())

const address = { urlOf, natsUrl: server.url }
const joinRelayed = async () => {
  const sourcing = await joinBus(address, 'sourcing')
  sourcing.start(sourcing.bus.relay())
  return sourcing
}

test('what is announced before there are streams waits and arrives', async () => {
  const sourcing = await joinRelayed()
  const webhooks = await joinBus(address, 'webhooks')
  const type = 'sourcing.early.told'
  webhooks.start(webhooks.bus.consume({ name: 'early', subjects: [type], handle: record }))
  await announce(sourcing.pool, type, 'a', 1)
  await until(async () => (await sourcing.bus.lag()).outbox.waiting === 1)
  await ensureStreams({ url: server.url })
  await until(async () => (await effectsOf(owner, type)).length === 1)
  await until(async () => (await sourcing.bus.lag()).outbox.waiting === 0)
  await Promise.all([sourcing.stop(), webhooks.stop()])
})

test('a notification is kept, without any reader at work, until the webhooks have it, and no longer', async () => {
  const sourcing = await joinRelayed()
  const session = await connectOnce({ url: server.url }, 'looking')
  const stored = async () => (await session.jsm.streams.info('NOTIFICATIONS')).state.messages
  await sourcing.pool.begin((tx) => emit(tx, { type: 'cases.created', subject: 'case_1', data: { value: 1 } }))
  await sourcing.pool.begin((tx) =>
    emit(tx, { type: 'assignments.status.updated', subject: 'a_1', data: { value: 2 } }),
  )
  await until(async () => (await stored()) === 2)
  await server.kill()
  await server.start()
  const again = await connectOnce({ url: server.url }, 'looking')
  const webhooks = await joinBus(address, 'webhooks')
  webhooks.start(webhooks.bus.consume({ name: 'ingest', subjects: ['cases.>', 'assignments.>'], handle: record }))
  await until(async () => (await effectsOf(owner, 'assignments.status.updated')).length === 1)
  expect(await effectsOf(owner, 'cases.created')).toHaveLength(1)
  await until(async () => (await again.jsm.streams.info('NOTIFICATIONS')).state.messages === 0)
  await again.nc.close()
  await Promise.all([sourcing.stop(), webhooks.stop()])
})

test('repeating the set-up changes nothing that is stored', async () => {
  const sourcing = await joinRelayed()
  const session = await connectOnce({ url: server.url }, 'looking')
  await sourcing.pool.begin((tx) => emit(tx, { type: 'cases.updated', subject: 'case_1', data: { value: 1 } }))
  await until(async () => (await session.jsm.streams.info('NOTIFICATIONS')).state.messages === 1)
  await ensureStreams({ url: server.url, domainMaxAgeDays: 3 })
  const { config, state } = await session.jsm.streams.info('NOTIFICATIONS')
  expect({ ...config, messages: state.messages }).toMatchObject({
    subjects: ['cases.>', 'assignments.>'],
    retention: 'interest',
    storage: 'file',
    discard: 'new',
    messages: 1,
  })
  const domain = await session.jsm.streams.info('DOMAIN')
  expect(domain.config).toMatchObject({ retention: 'limits', discard: 'new', max_age: 3 * 24 * 3600 * 1e9 })
  await session.nc.close()
  await sourcing.stop()
})

test('a lost stream is filled again from the outboxes, and what was handled is not handled again', async () => {
  const sourcing = await joinRelayed()
  const webhooks = await joinBus(address, 'webhooks')
  const type = 'sourcing.refilled.told'
  const since = new Date().toISOString()
  webhooks.start(webhooks.bus.consume({ name: 'refilled', subjects: [type], handle: record }))
  for (let value = 1; value <= 20; value++) await announce(sourcing.pool, type, 'a', value)
  await until(async () => (await effectsOf(owner, type)).length === 20)
  const session = await connectOnce({ url: server.url }, 'looking')
  await webhooks.stop()
  for (let value = 21; value <= 40; value++) await announce(sourcing.pool, type, 'a', value)
  await until(async () => (await sourcing.bus.lag()).outbox.waiting === 0)
  await session.jsm.streams.delete('DOMAIN')
  await ensureStreams({ url: server.url })
  await unsend(owner, 'sourcing', since)
  const restarted = await joinBus(address, 'webhooks')
  restarted.start(restarted.bus.consume({ name: 'refilled', subjects: [type], handle: record }))
  await until(async () => (await effectsOf(owner, type)).length >= 40)
  expect(await faultsOf(owner, type)).toEqual([])
  await session.nc.close()
  await Promise.all([sourcing.stop(), restarted.stop()])
})

test('a stream that is lost while it is read is found again', async () => {
  const sourcing = await joinRelayed()
  const webhooks = await joinBus(address, 'webhooks')
  const type = 'sourcing.found.told'
  webhooks.start(webhooks.bus.consume({ name: 'found', subjects: [type], handle: record }))
  const heard: string[] = []
  let loads = 0
  await webhooks.bus.follow({
    subjects: [type],
    onEvent: (event) => void heard.push(event.id),
    onGap: () => void loads++,
  })
  await announce(sourcing.pool, type, 'a', 1)
  await until(async () => (await effectsOf(owner, type)).length === 1)
  const session = await connectOnce({ url: server.url }, 'looking')
  await session.jsm.streams.delete('DOMAIN')
  await ensureStreams({ url: server.url })
  await until(() => loads === 2 && webhooks.bus.lastHeartbeat('sourcing') > 0)
  const id = await announce(sourcing.pool, type, 'a', 2)
  await until(async () => (await effectsOf(owner, type)).length === 2)
  await until(() => heard.includes(id))
  await session.nc.close()
  await Promise.all([sourcing.stop(), webhooks.stop()])
})

test('a consumer that somebody deleted is made again where it was', async () => {
  const sourcing = await joinRelayed()
  const webhooks = await joinBus(address, 'webhooks')
  const type = 'sourcing.deleted.told'
  webhooks.start(webhooks.bus.consume({ name: 'deleted', subjects: [type], handle: record }))
  await announce(sourcing.pool, type, 'a', 1)
  await until(async () => (await effectsOf(owner, type)).length === 1)
  const session = await connectOnce({ url: server.url }, 'looking')
  await session.jsm.consumers.delete('DOMAIN', 'webhooks-deleted')
  for (let value = 2; value <= 10; value++) await announce(sourcing.pool, type, 'a', value)
  await until(async () => (await effectsOf(owner, type)).length === 10)
  expect(await faultsOf(owner, type)).toEqual([])
  await session.nc.close()
  await Promise.all([sourcing.stop(), webhooks.stop()])
})

test('a consumer may read other subjects from one release to the next', async () => {
  const sourcing = await joinRelayed()
  const types = ['sourcing.release.first', 'catalog.release.second', 'sourcing.release.third'] as const
  const emitted = async (type: string, value: number) => {
    await announce(sourcing.pool, type, 'a', value)
    await until(async () => (await sourcing.bus.lag()).outbox.waiting === 0)
  }
  const releases = [[types[0]], [...types], [types[2]]]
  for (const [release, subjects] of releases.entries()) {
    const webhooks = await joinBus(address, 'webhooks')
    webhooks.start(webhooks.bus.consume({ name: 'release', subjects, handle: record }))
    for (const type of types) await emitted(type, release)
    for (const type of subjects) {
      await until(async () => (await effectsOf(owner, type)).some(({ value }) => value === release))
    }
    await webhooks.stop()
  }
  const valuesOf = async (type: string) => (await effectsOf(owner, type)).map(({ value }) => value)
  // A subject that is new to a consumer begins where its cursor stands, not at the release.
  expect(await Promise.all(types.map(valuesOf))).toEqual([
    [0, 1],
    [0, 1],
    [0, 1, 2],
  ])
  await sourcing.stop()
})

test('a full stream refuses what is new, which waits in the outbox and loses nothing', async () => {
  const sourcing = await joinRelayed()
  const webhooks = await joinBus(address, 'webhooks')
  const type = 'sourcing.full.told'
  webhooks.start(webhooks.bus.consume({ name: 'full', subjects: [type], handle: record }))
  const heartbeat = await webhooks.bus.follow({ subjects: [type], onEvent() {}, onGap() {} })
  const silence = () => performance.now() - webhooks.bus.lastHeartbeat('sourcing')
  await until(() => silence() < 500)
  const session = await connectOnce({ url: server.url }, 'looking')
  const { state } = await session.jsm.streams.info('DOMAIN')
  await ensureStreams({ url: server.url, maxBytes: state.bytes + 1000 })
  for (let value = 1; value <= 20; value++) await announce(sourcing.pool, type, 'a', value)
  await until(async () => (await effectsOf(owner, type)).length > 0)
  // A relay that cannot hand on is not to be believed alive.
  await until(() => silence() > 2000 && silence() < Number.POSITIVE_INFINITY)
  expect((await sourcing.bus.lag()).outbox.waiting).toBeGreaterThan(0)
  await ensureStreams({ url: server.url })
  await until(async () => (await effectsOf(owner, type)).length === 20)
  await until(() => silence() < 500)
  expect(await faultsOf(owner, type)).toEqual([])
  heartbeat.close()
  await session.nc.close()
  await Promise.all([sourcing.stop(), webhooks.stop()])
})

test('heartbeats are heard and not stored', async () => {
  const sourcing = await joinRelayed()
  await sourcing.bus.follow({ subjects: ['sourcing.>'], onEvent() {}, onGap() {} })
  await until(() => sourcing.bus.lastHeartbeat('sourcing') > 0)
  const session = await connectOnce({ url: server.url }, 'looking')
  const { state } = await session.jsm.streams.info('DOMAIN', { subjects_filter: '>' })
  expect(Object.keys(state.subjects ?? {}).filter((subject) => subject.includes('heartbeat'))).toEqual([])
  await session.nc.close()
  await sourcing.stop()
})

test('no two events of one subject are on their way at once', () => {
  const rows = ['a', 'b', 'a', 'c', 'a', 'b'].map((subject, seq) => ({ subject, seq }))
  expect(wavesOf(rows).map((wave) => wave.map(({ subject, seq }) => `${subject}${seq}`))).toEqual([
    ['a0', 'b1', 'c3'],
    ['a2', 'b5'],
    ['a4'],
  ])
})
