import { expect, test } from 'bun:test'
import type { Envelope } from '../../../../proto/events/envelope.ts'
import { emitAny } from '../../../kit/bus/outbox/emit.ts'
import {
  addressVariables,
  emitSubscribed,
  type Harness,
  type Member,
  numberOf,
  openBus,
  spawnProgram,
  subscribed,
  until,
} from '../harness.ts'

/** Guarantees for subscribers: fast delivery, and a reload whenever events may have been missed. */
export function subscribeTests(harness: () => Harness, members: () => { sourcing: Member; webhooks: Member }): void {
  const owner = () => harness().database.owner
  const address = () => ({ ...harness(), urlOf: harness().database.urlOf })
  const HEARTBEAT_MS = 200

  /** Records the received events and the number of reloads. */
  async function listener({ bus }: Member, type: string) {
    const received: Envelope[] = []
    const state = { received, loads: 0 }
    await bus.subscribe({
      subjects: subscribed(type),
      onEvent: (event) => void received.push(event),
      onGap: () => void state.loads++,
    })
    return state
  }

  test('every process receives an event within a second', async () => {
    const { sourcing, webhooks } = members()
    const other = await openBus(address(), 'webhooks')
    const type = 'sourcing.followed.emitted'
    const listeners = await Promise.all([webhooks, other, sourcing].map((member) => listener(member, type)))
    expect(listeners.map(({ loads }) => loads)).toEqual([1, 1, 1])
    const began = performance.now()
    await emitSubscribed(sourcing.pool, type, 'a', 1)
    await until(() => listeners.every(({ received }) => received.length === 1))
    expect(performance.now() - began).toBeLessThan(1000)
    expect(listeners[0]?.received[0]).toMatchObject({ type, source: '/marketplace/sourcing', data: { value: 1 } })
    await other.stop()
  })

  test('an event reaches subscribers while another transaction on the server stays open', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.unblocked.emitted'
    const { received } = await listener(webhooks, type)
    const done = Promise.withResolvers<void>()
    const open = owner().begin(async (tx) => {
      await tx`select pg_current_xact_id()`
      await emitSubscribed(sourcing.pool, type, 'a', 1)
      await until(() => received.length === 1)
      done.resolve()
    })
    await done.promise
    await open
  })

  test('an event emitted during a reload is delivered after it', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.loading.emitted'
    const loaded = Promise.withResolvers<void>()
    const loading = Promise.withResolvers<void>()
    const order: string[] = []
    const subscription = webhooks.bus.subscribe({
      subjects: subscribed(type),
      onEvent: (event) => void order.push(`event ${numberOf(event)}`),
      async onGap() {
        loading.resolve()
        await loaded.promise
        order.push('loaded')
      },
    })
    await loading.promise
    await emitSubscribed(sourcing.pool, type, 'a', 1)
    const other = await listener(webhooks, type)
    await emitSubscribed(sourcing.pool, type, 'a', 2)
    await until(() => other.received.some((event) => numberOf(event) === 2))
    expect(order).toEqual([])
    loaded.resolve()
    await subscription
    await until(() => order.length === 3)
    expect(order).toEqual(['loaded', 'event 1', 'event 2'])
  })

  test('an interruption causes a reload, and later events are received', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.gap.emitted'
    const state = await listener(webhooks, type)
    await emitSubscribed(sourcing.pool, type, 'a', 1)
    await until(() => state.received.length === 1)
    for (let round = 2; round <= 4; round++) {
      await harness().interrupt()
      await until(() => state.loads >= round && webhooks.bus.lastHeartbeat('sourcing') > Number.NEGATIVE_INFINITY)
      await emitSubscribed(sourcing.pool, type, 'a', round)
      await until(() => state.received.some((event) => numberOf(event) === round))
    }
  })

  test('a failed reload is retried, and the state is not current until it succeeds', async () => {
    const { webhooks } = members()
    let attempts = 0
    const receivedBeforeLoad: number[] = []
    await webhooks.bus.subscribe({
      subjects: subscribed('sourcing.broken.emitted'),
      onEvent() {},
      onGap() {
        receivedBeforeLoad.push(webhooks.bus.lastHeartbeat('sourcing'))
        if (++attempts < 2) throw new Error('the database is unavailable')
      },
    })
    expect(attempts).toBe(2)
    expect(receivedBeforeLoad).toEqual([Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY])
    await until(() => webhooks.bus.lastHeartbeat('sourcing') > Number.NEGATIVE_INFINITY)
  })

  test('a subscriber that cannot apply an event reloads its state', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.unapplied.emitted'
    let loads = 0
    await webhooks.bus.subscribe({
      subjects: subscribed(type),
      onEvent() {
        throw new Error('cannot be applied')
      },
      onGap: () => void loads++,
    })
    await emitSubscribed(sourcing.pool, type, 'a', 1)
    await until(() => loads === 2)
  })

  test('an event too long for a notification is received in order', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.long.emitted'
    const { received } = await listener(webhooks, type)
    const text = 'ö'.repeat(60_000)
    for (let value = 1; value <= 5; value++) {
      await sourcing.pool.begin((tx) =>
        emitAny(tx, { type, subject: 'a', data: value % 2 === 0 ? { value, text } : { value }, isSubscribed: true }),
      )
    }
    await until(() => received.length === 5)
    expect(received.map(numberOf)).toEqual([1, 2, 3, 4, 5])
    expect(received[1]?.data).toEqual({ value: 2, text })
  })

  test('heartbeats continue without events, and stop when the relay is blocked', async () => {
    const { webhooks } = members()
    await listener(webhooks, 'sourcing.quiet.emitted')
    const silence = () => performance.now() - webhooks.bus.lastHeartbeat('sourcing')
    await until(() => silence() < HEARTBEAT_MS)
    let beats = 0
    for (let last = 0; beats < 5; beats++) {
      await until(() => webhooks.bus.lastHeartbeat('sourcing') > last)
      last = webhooks.bus.lastHeartbeat('sourcing')
    }
    await owner().begin(async (tx) => {
      await tx`lock table sourcing.outbox in access exclusive mode`
      await until(() => silence() > 10 * HEARTBEAT_MS)
    })
    await until(() => silence() < HEARTBEAT_MS)
  })

  test('a killed relay is replaced by another one, whose heartbeats are received', async () => {
    const { sourcing, webhooks } = members()
    await sourcing.stop()
    const program = spawnProgram('relay.fixture.ts', addressVariables(harness()))
    await listener(webhooks, 'sourcing.succeeded.emitted')
    const silence = () => performance.now() - webhooks.bus.lastHeartbeat('sourcing')
    await until(() => silence() < HEARTBEAT_MS)
    const standby = await openBus(address(), 'sourcing')
    standby.start(standby.bus.relay())
    await program.kill()
    const killed = performance.now()
    await until(() => webhooks.bus.lastHeartbeat('sourcing') > killed)
    await standby.stop()
    const stopped = performance.now()
    await until(() => silence() > 5 * HEARTBEAT_MS)
    expect(webhooks.bus.lastHeartbeat('sourcing')).toBeLessThan(stopped + HEARTBEAT_MS)
  })
}
