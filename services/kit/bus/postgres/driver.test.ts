import { expect, setDefaultTimeout, test } from 'bun:test'
import {
  createEffects,
  deliveryViolations,
  effectsOf,
  emitSubscribed,
  emitValue,
  heartbeats,
  numberOf,
  openBus,
  record,
  subscribed,
  until,
} from '../../../testing/bus/harness.ts'
import { testDatabase } from '../../../testing/database.ts'
import type { Tx } from '../../db/client.ts'
import { emitAllAny, emitAny } from '../outbox/emit.ts'

/** When the driver without a broker marks rows as sent. */
setDefaultTimeout(60_000)
const database = await testDatabase()
const { owner } = database
await createEffects(owner)
const address = { urlOf: database.urlOf }
const unsent = async (type: string) =>
  (await owner`select seq from sourcing.outbox where type = ${type} and sent_at is null`).length

test('a row is marked as sent once every known consumer has read it', async () => {
  const type = 'sourcing.read.emitted'
  const sourcing = await openBus(address, 'sourcing')
  sourcing.start(sourcing.bus.relay())
  await emitValue(sourcing.pool, type, 'a', 1)
  // There is no consumer yet.
  await until(async () => (await unsent(type)) === 0)
  const start = async () => {
    const webhooks = await openBus(address, 'webhooks')
    webhooks.start(webhooks.bus.consume({ name: 'read', subjects: [type], handle: record }))
    return webhooks
  }
  const first = await start()
  await until(async () => (await effectsOf(owner, type)).length === 1)
  await first.stop()
  await emitValue(sourcing.pool, type, 'a', 2)
  await heartbeats(sourcing, 5)
  expect(await unsent(type)).toBe(1)
  expect((await sourcing.bus.lag()).outbox?.waiting).toBe(1)
  const second = await start()
  await until(async () => (await unsent(type)) === 0)
  expect(await second.bus.lag()).toMatchObject({ consumers: { read: 0 } })
  await second.stop()
  // A consumer that was inactive for a month no longer counts.
  await emitValue(sourcing.pool, type, 'a', 3)
  await owner`update webhooks.bus_cursors set touched_at = now() - interval '31 days'`
  await until(async () => (await unsent(type)) === 0)
  await sourcing.stop()
})

test('a backlog of many batches is read in order', async () => {
  const type = 'sourcing.backlog.emitted'
  const sourcing = await openBus(address, 'sourcing')
  const events = Array.from({ length: 1050 }, (_, value) => ({ type, subject: `s${value % 3}`, data: { value } }))
  await sourcing.pool.begin((tx) => emitAllAny(tx, events))
  const webhooks = await openBus(address, 'webhooks')
  webhooks.start(webhooks.bus.consume({ name: 'backlog', subjects: [type], handle: record }))
  await until(async () => (await effectsOf(owner, type)).length === 1050)
  expect(await deliveryViolations(owner, type)).toEqual([])
  await Promise.all([sourcing.stop(), webhooks.stop()])
})

test('a cursor and events of another server with higher transaction ids: the cursor starts again, and later events are read', async () => {
  const type = 'sourcing.restored.emitted'
  const sourcing = await openBus(address, 'sourcing')
  await owner`
    insert into webhooks.bus_cursors (consumer, source, low, high)
    values ('restored', 'sourcing', '900000000000', '900000000000')`
  await emitValue(sourcing.pool, type, 'a', 0)
  await owner`update sourcing.outbox set txid = '900000000000' where type = ${type}`
  await emitValue(sourcing.pool, type, 'a', 1)
  const webhooks = await openBus(address, 'webhooks')
  webhooks.start(webhooks.bus.consume({ name: 'restored', subjects: [type], handle: record }))
  await until(async () => (await effectsOf(owner, type)).length === 1)
  await Promise.all([sourcing.stop(), webhooks.stop()])
})

test('changes of one record are handled in order, even if a transaction that began between them runs on', async () => {
  const type = 'sourcing.between.emitted'
  const sourcing = await openBus(address, 'sourcing')
  sourcing.start(sourcing.bus.relay())
  const webhooks = await openBus(address, 'webhooks')
  webhooks.start(webhooks.bus.consume({ name: 'between', subjects: [type], handle: record }))
  /** A transaction with an id, which ends when it may. */
  const begin = async (end: (tx: Tx) => Promise<unknown>) => {
    const [began, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const ended = sourcing.pool.begin(async (tx) => {
      await tx`select pg_current_xact_id()`
      began.resolve()
      await mayEnd.promise
      await end(tx)
    })
    await began.promise
    return () => {
      mayEnd.resolve()
      return ended
    }
  }
  const endFirst = await begin((tx) => emitAny(tx, { type, subject: 'record', data: { value: 2 } }))
  const endBetween = await begin(async () => {})
  await emitValue(sourcing.pool, type, 'record', 1)
  await endFirst()
  await emitValue(sourcing.pool, type, 'record', 3)
  await heartbeats(sourcing, 4)
  await endBetween()
  await until(async () => (await effectsOf(owner, type)).length === 3)
  expect((await effectsOf(owner, type)).map(({ value }) => value)).toEqual([1, 2, 3])
  await Promise.all([sourcing.stop(), webhooks.stop()])
})

test('only the outboxes of the subscribed families are read, and unused cursors are deleted', async () => {
  const type = 'sourcing.family.emitted'
  await owner`
    insert into webhooks.bus_cursors (consumer, source, low, high)
    values ('family', 'organization', '1', '1'), ('family', 'a-stream', '0', '0')`
  const sourcing = await openBus(address, 'sourcing')
  const webhooks = await openBus(address, 'webhooks')
  webhooks.start(webhooks.bus.consume({ name: 'family', subjects: [type], handle: record }))
  await emitValue(sourcing.pool, type, 'a', 1)
  await until(async () => (await effectsOf(owner, type)).length === 1)
  const cursors = await owner<{ source: string }[]>`
    select source from webhooks.bus_cursors where consumer = 'family' order by source`
  // A cursor of the other driver is kept.
  expect(cursors.map(({ source }) => source)).toEqual(['a-stream', 'sourcing'])
  await Promise.all([sourcing.stop(), webhooks.stop()])
})

test('notifications that no service sends neither end the connection nor delay events, and name no service', async () => {
  const type = 'sourcing.hostile.emitted'
  const sourcing = await openBus(address, 'sourcing')
  const values: number[] = []
  let loads = 0
  await sourcing.bus.subscribe({
    subjects: subscribed(type),
    onEvent: (event) => void values.push(numberOf(event)),
    onGap: () => void loads++,
  })
  const row = { id: 'evt_1', type, subject: 'a', tenant_id: null, time: new Date().toISOString(), traceparent: null }
  const hostile = ['', 'null', '5', '{', '{"type":5}', { ...row, data: '{' }, { ...row, data: '{}', time: 'x' }]
  for (const one of hostile)
    await owner`select pg_notify('events_sourcing', ${typeof one === 'string' ? one : JSON.stringify(one)})`
  await owner`select pg_notify('heartbeats', 'sourcing.')`
  await emitSubscribed(sourcing.pool, type, 'a', 1)
  await until(() => values.length === 1)
  expect([values, loads]).toEqual([[1], 1])
  expect(sourcing.bus.lastHeartbeat('sourcing.')).toBe(Number.NEGATIVE_INFINITY)
  await sourcing.stop()
})

test('subscribed events arrive in their order, those too long for a notification too', async () => {
  const type = 'sourcing.long.emitted'
  const [sourcing, webhooks] = [await openBus(address, 'sourcing'), await openBus(address, 'webhooks')]
  const values: number[] = []
  await webhooks.bus.subscribe({
    subjects: subscribed(type),
    onEvent: (event) => void values.push(numberOf(event)),
    onGap() {},
  })
  for (let from = 0; from < 60; from += 6) {
    await sourcing.pool.begin(async (tx) => {
      for (let value = from; value < from + 6; value++) {
        const data = { value, text: 'x'.repeat(value % 3 === 0 ? 20_000 : 10) }
        await emitAny(tx, { type, subject: `s${value}`, data, isSubscribed: true })
      }
    })
  }
  await until(() => values.length === 60)
  expect(values).toEqual(Array.from({ length: 60 }, (_, value) => value))
  await Promise.all([sourcing.stop(), webhooks.stop()])
})

test('a process without a LISTEN connection starts and reports a missing heartbeat', async () => {
  const type = 'sourcing.deaf.emitted'
  const nowhere = new URL(database.urlOf('webhooks'))
  nowhere.port = '1'
  const disconnected = await openBus(address, 'sourcing', {
    directUrl: nowhere.href,
    timing: { subscribeTimeoutMs: 50 },
  })
  let loads = 0
  await disconnected.bus.subscribe({ subjects: subscribed(type), onEvent() {}, onGap: () => void loads++ })
  expect(loads).toBe(1)
  expect(disconnected.bus.lastHeartbeat('sourcing')).toBe(Number.NEGATIVE_INFINITY)
  await disconnected.stop()
})
