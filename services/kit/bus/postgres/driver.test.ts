import { expect, setDefaultTimeout, test } from 'bun:test'
import { testDatabase } from '../../../testing/database.ts'
import {
  announce,
  createEffects,
  effectsOf,
  faultsOf,
  heartbeats,
  joinBus,
  record,
  until,
} from '../conformance/harness.ts'
import { emitAll } from '../outbox/emit.ts'

/** What only the driver without a broker has to care about: when a row has been read by everybody. */
setDefaultTimeout(60_000)
const database = await testDatabase()
const { owner } = database
await createEffects(owner)
const address = { urlOf: database.urlOf }
const unsent = async (type: string) =>
  (await owner`select seq from sourcing.outbox where type = ${type} and sent_at is null`).length

test('a row counts as sent when every known consumer is past it, and not before', async () => {
  const type = 'sourcing.read.told'
  const sourcing = await joinBus(address, 'sourcing')
  sourcing.start(sourcing.bus.relay())
  await announce(sourcing.pool, type, 'a', 1)
  // Nobody is known yet, so nobody can miss it.
  await until(async () => (await unsent(type)) === 0)
  const start = async () => {
    const webhooks = await joinBus(address, 'webhooks')
    webhooks.start(webhooks.bus.consume({ name: 'read', subjects: [type], handle: record }))
    return webhooks
  }
  const first = await start()
  await until(async () => (await effectsOf(owner, type)).length === 1)
  await first.stop()
  await announce(sourcing.pool, type, 'a', 2)
  await heartbeats(sourcing, 5)
  expect(await unsent(type)).toBe(1)
  expect((await sourcing.bus.lag()).outbox.waiting).toBe(1)
  const second = await start()
  await until(async () => (await unsent(type)) === 0)
  expect(await second.bus.lag()).toMatchObject({ consumers: { read: 0 } })
  await second.stop()
  // One that has not been seen for a month holds nothing up.
  await announce(sourcing.pool, type, 'a', 3)
  await owner`update webhooks.bus_cursors set touched_at = now() - interval '31 days'`
  await until(async () => (await unsent(type)) === 0)
  await sourcing.stop()
})

test('a backlog of many batches is read in its order', async () => {
  const type = 'sourcing.backlog.told'
  const sourcing = await joinBus(address, 'sourcing')
  const events = Array.from({ length: 1050 }, (_, value) => ({ type, subject: `s${value % 3}`, data: { value } }))
  await sourcing.pool.begin((tx) => emitAll(tx, events))
  const webhooks = await joinBus(address, 'webhooks')
  webhooks.start(webhooks.bus.consume({ name: 'backlog', subjects: [type], handle: record }))
  await until(async () => (await effectsOf(owner, type)).length === 1050)
  expect(await faultsOf(owner, type)).toEqual([])
  await Promise.all([sourcing.stop(), webhooks.stop()])
})

test('a cursor of another server, whose transactions were numbered higher, begins anew', async () => {
  const type = 'sourcing.restored.told'
  const sourcing = await joinBus(address, 'sourcing')
  await owner`
    insert into webhooks.bus_cursors (consumer, source, low, high)
    values ('restored', 'sourcing', '900000000000', '900000000000')`
  await announce(sourcing.pool, type, 'a', 1)
  const webhooks = await joinBus(address, 'webhooks')
  webhooks.start(webhooks.bus.consume({ name: 'restored', subjects: [type], handle: record }))
  await until(async () => (await effectsOf(owner, type)).length === 1)
  await Promise.all([sourcing.stop(), webhooks.stop()])
})

test('only the outboxes of its families are read, and a cursor into another is forgotten: it would hold rows back', async () => {
  const type = 'sourcing.family.told'
  await owner`
    insert into webhooks.bus_cursors (consumer, source, low, high)
    values ('family', 'organization', '1', '1'), ('family', 'a-stream', '0', '0')`
  const sourcing = await joinBus(address, 'sourcing')
  const webhooks = await joinBus(address, 'webhooks')
  webhooks.start(webhooks.bus.consume({ name: 'family', subjects: [type], handle: record }))
  await announce(sourcing.pool, type, 'a', 1)
  await until(async () => (await effectsOf(owner, type)).length === 1)
  const cursors = await owner<{ source: string }[]>`
    select source from webhooks.bus_cursors where consumer = 'family' order by source`
  // One of the other driver is not ours to forget.
  expect(cursors.map(({ source }) => source)).toEqual(['a-stream', 'sourcing'])
  await Promise.all([sourcing.stop(), webhooks.stop()])
})

test('without its LISTEN connection a process starts and knows that it is deaf', async () => {
  const type = 'sourcing.deaf.told'
  const nowhere = new URL(database.urlOf('webhooks'))
  nowhere.port = '1'
  const deaf = await joinBus(address, 'sourcing', { directUrl: nowhere.href, timing: { followTimeoutMs: 50 } })
  let loads = 0
  await deaf.bus.follow({ subjects: [type], onEvent() {}, onGap: () => void loads++ })
  expect(loads).toBe(1)
  expect(deaf.bus.lastHeartbeat('sourcing')).toBe(Number.NEGATIVE_INFINITY)
  await deaf.stop()
})
