import { expect, test } from 'bun:test'
import type { Envelope } from '../../../../proto/events/envelope.ts'
import { emit } from '../outbox/emit.ts'
import { addressVariables, announce, joinBus, type Member, numberOf, type Rig, spawnProgram, until } from './harness.ts'

/** What a subscriber may rely on: it hears soon, and is told when it may have missed something. */
export function followingTests(rig: () => Rig, members: () => { sourcing: Member; webhooks: Member }): void {
  const owner = () => rig().database.owner
  const address = () => ({ ...rig(), urlOf: rig().database.urlOf })
  const HEARTBEAT_MS = 200

  /** Keeps what it hears and how often it had to load. */
  async function listener({ bus }: Member, type: string) {
    const heard: Envelope[] = []
    const state = { heard, loads: 0 }
    const following = await bus.follow({
      subjects: [type],
      onEvent: (event) => void heard.push(event),
      onGap: () => void state.loads++,
    })
    return Object.assign(state, following)
  }

  test('every process hears an event within a second', async () => {
    const { sourcing, webhooks } = members()
    const other = await joinBus(address(), 'webhooks')
    const type = 'sourcing.followed.told'
    const listeners = await Promise.all([webhooks, other, sourcing].map((member) => listener(member, type)))
    expect(listeners.map(({ loads }) => loads)).toEqual([1, 1, 1])
    const began = performance.now()
    await announce(sourcing.pool, type, 'a', 1)
    await until(() => listeners.every(({ heard }) => heard.length === 1))
    expect(performance.now() - began).toBeLessThan(1000)
    expect(listeners[0]?.heard[0]).toMatchObject({ type, source: '/marketplace/sourcing', data: { value: 1 } })
    await other.stop()
  })

  test('an event reaches subscribers while another transaction on the server stays open', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.unblocked.told'
    const { heard } = await listener(webhooks, type)
    const done = Promise.withResolvers<void>()
    const open = owner().begin(async (tx) => {
      await tx`select pg_current_xact_id()`
      await announce(sourcing.pool, type, 'a', 1)
      await until(() => heard.length === 1)
      done.resolve()
    })
    await done.promise
    await open
  })

  test('what is announced while the state is being loaded is told afterwards', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.loading.told'
    const loaded = Promise.withResolvers<void>()
    const loading = Promise.withResolvers<void>()
    const order: string[] = []
    const following = webhooks.bus.follow({
      subjects: [type],
      onEvent: (event) => void order.push(`event ${numberOf(event)}`),
      async onGap() {
        loading.resolve()
        await loaded.promise
        order.push('loaded')
      },
    })
    await loading.promise
    await announce(sourcing.pool, type, 'a', 1)
    const other = await listener(webhooks, type)
    await announce(sourcing.pool, type, 'a', 2)
    await until(() => other.heard.some((event) => numberOf(event) === 2))
    expect(order).toEqual([])
    loaded.resolve()
    await following
    await until(() => order.length === 3)
    expect(order).toEqual(['loaded', 'event 1', 'event 2'])
  })

  test('an interruption is announced, and what happens after the new load is heard', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.gap.told'
    const state = await listener(webhooks, type)
    await announce(sourcing.pool, type, 'a', 1)
    await until(() => state.heard.length === 1)
    for (let round = 2; round <= 4; round++) {
      await rig().interrupt()
      await until(() => state.loads >= round && webhooks.bus.lastHeartbeat('sourcing') > Number.NEGATIVE_INFINITY)
      await announce(sourcing.pool, type, 'a', round)
      await until(() => state.heard.some((event) => numberOf(event) === round))
    }
  })

  test('a load that fails is tried again, and until it is done nothing is to be relied on', async () => {
    const { webhooks } = members()
    let attempts = 0
    const heardBeforeLoad: number[] = []
    await webhooks.bus.follow({
      subjects: ['sourcing.broken.told'],
      onEvent() {},
      onGap() {
        heardBeforeLoad.push(webhooks.bus.lastHeartbeat('sourcing'))
        if (++attempts < 2) throw new Error('the database is away')
      },
    })
    expect(attempts).toBe(2)
    expect(heardBeforeLoad).toEqual([Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY])
    await until(() => webhooks.bus.lastHeartbeat('sourcing') > Number.NEGATIVE_INFINITY)
  })

  test('a subscriber that cannot apply an event loads its state again', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.unapplied.told'
    let loads = 0
    await webhooks.bus.follow({
      subjects: [type],
      onEvent() {
        throw new Error('cannot be applied')
      },
      onGap: () => void loads++,
    })
    await announce(sourcing.pool, type, 'a', 1)
    await until(() => loads === 2)
  })

  test('an event too long for a notification is heard in its place among the short ones', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.long.told'
    const { heard } = await listener(webhooks, type)
    const text = 'ö'.repeat(60_000)
    for (let value = 1; value <= 5; value++) {
      await sourcing.pool.begin((tx) =>
        emit(tx, { type, subject: 'a', data: value % 2 === 0 ? { value, text } : { value } }),
      )
    }
    await until(() => heard.length === 5)
    expect(heard.map(numberOf)).toEqual([1, 2, 3, 4, 5])
    expect(heard[1]?.data).toEqual({ value: 2, text })
  })

  test('the heartbeat goes on without events, and stops when the relay is stuck', async () => {
    const { webhooks } = members()
    await listener(webhooks, 'sourcing.quiet.told')
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

  test('a relay that is killed is followed by another, whose heartbeat is heard', async () => {
    const { sourcing, webhooks } = members()
    await sourcing.stop()
    const program = spawnProgram('relay.fixture.ts', addressVariables(rig()))
    await listener(webhooks, 'sourcing.succeeded.told')
    const silence = () => performance.now() - webhooks.bus.lastHeartbeat('sourcing')
    await until(() => silence() < HEARTBEAT_MS)
    const standby = await joinBus(address(), 'sourcing')
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
