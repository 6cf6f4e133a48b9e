import { expect, test } from 'bun:test'
import type { DeadLetterNotice } from '../../../kit/bus/consume/retry-queue.ts'
import { emitAllAny, emitAny } from '../../../kit/bus/outbox/emit.ts'
import { markUnsent } from '../../../kit/bus/outbox/queries.ts'
import {
  deliveryViolations,
  effectsOf,
  emitValue,
  type Harness,
  heartbeats,
  type Member,
  numberOf,
  openBus,
  record,
  until,
} from '../harness.ts'

/** Guarantees for consumers on every driver. */
export function deliveryTests(harness: () => Harness, members: () => { sourcing: Member; webhooks: Member }): void {
  const owner = () => harness().database.owner
  const address = () => ({ ...harness(), urlOf: harness().database.urlOf })

  test('an emitted event is handled once and unchanged', async () => {
    const { sourcing, webhooks } = members()
    const received: unknown[] = []
    webhooks.start(
      webhooks.bus.consume({
        name: 'once',
        subjects: ['sourcing.once.*'],
        async handle(_tx, event) {
          received.push(event)
        },
      }),
    )
    const data = { text: 'Öl "&" \u2028 \\', list: [1, null, { deep: true }], number: 0.1 }
    const time = '2026-04-29T09:10:00.000Z'
    const id = await sourcing.pool.begin((tx) =>
      emitAny(tx, { type: 'sourcing.once.emitted', tenantId: 'org_1', subject: 'part_1', data, time }),
    )
    await until(() => received.length > 0)
    expect(received).toEqual([
      {
        specversion: '1.0',
        id,
        source: '/marketplace/sourcing',
        type: 'sourcing.once.emitted',
        subject: 'part_1',
        time,
        tenantid: 'org_1',
        datacontenttype: 'application/json',
        data,
      },
    ])
    expect(id).toMatch(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/)
  })

  test('an event of a rolled-back transaction is never handled', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.rolledback.emitted'
    webhooks.start(webhooks.bus.consume({ name: 'rolledback', subjects: [type], handle: record }))
    const failed = sourcing.pool.begin(async (tx) => {
      await emitAny(tx, { type, subject: 'a', data: { value: 1 } })
      throw new Error('no')
    })
    expect(failed).rejects.toThrow('no')
    await emitValue(sourcing.pool, type, 'a', 2)
    await until(async () => (await effectsOf(owner(), type)).length > 0)
    expect((await effectsOf(owner(), type)).map(({ value }) => value)).toEqual([2])
  })

  test('subjects keep their order with several replicas and emitters', async () => {
    const { sourcing, webhooks } = members()
    const second = await openBus(address(), 'webhooks')
    const type = 'sourcing.ordered.emitted'
    for (const { bus, start } of [webhooks, second]) {
      start(bus.consume({ name: 'ordered', subjects: [type], handle: record }))
    }
    const subjects = Array.from({ length: 10 }, (_, i) => `subject-${i}`)
    await Promise.all(
      subjects.map(async (subject) => {
        for (let value = 1; value <= 30; value++) await emitValue(sourcing.pool, type, subject, value)
      }),
    )
    await until(async () => (await effectsOf(owner(), type)).length >= 300)
    await second.stop()
    expect(await deliveryViolations(owner(), type)).toEqual([])
  })

  test('a new consumer receives earlier events', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.late.emitted'
    for (const value of [1, 2, 3]) await emitValue(sourcing.pool, type, 'a', value)
    webhooks.start(webhooks.bus.consume({ name: 'late', subjects: [type], handle: record }))
    await until(async () => (await effectsOf(owner(), type)).length === 3)
    expect(await deliveryViolations(owner(), type)).toEqual([])
  })

  test('duplicates are dropped by id, also in a batch with new events', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.again.emitted'
    const since = new Date().toISOString()
    webhooks.start(webhooks.bus.consume({ name: 'again', subjects: [type], handle: record }))
    for (const value of [1, 2, 3]) await emitValue(sourcing.pool, type, 'a', value)
    await until(async () => (await effectsOf(owner(), type)).length === 3)
    await markUnsent(owner(), 'sourcing', since)
    await emitValue(sourcing.pool, type, 'a', 4)
    await until(async () => (await effectsOf(owner(), type)).length >= 4)
    expect(await deliveryViolations(owner(), type)).toEqual([])
  })

  test('a transaction that commits late is not skipped', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.commits.emitted'
    webhooks.start(webhooks.bus.consume({ name: 'commits', subjects: [type], handle: record }))
    const emitted = Promise.withResolvers<void>()
    const mayCommit = Promise.withResolvers<void>()
    const slow = sourcing.pool.begin(async (tx) => {
      await emitAny(tx, { type, subject: 'slow', data: { value: 1 } })
      emitted.resolve()
      await mayCommit.promise
    })
    await emitted.promise
    // This event has the higher numbers and is committed first, and readers have time to see it.
    await emitValue(sourcing.pool, type, 'quick', 2)
    await heartbeats(webhooks, 4)
    mayCommit.resolve()
    await slow
    await until(async () => (await effectsOf(owner(), type)).length === 2)
    expect(await deliveryViolations(owner(), type)).toEqual([])
  })

  test('two changes of one record are handled in order, even if the later transaction began first', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.overtaken.emitted'
    webhooks.start(webhooks.bus.consume({ name: 'overtaken', subjects: [type], handle: record }))
    const began = Promise.withResolvers<void>()
    const mayGoOn = Promise.withResolvers<void>()
    const first = sourcing.pool.begin(async (tx) => {
      await tx`select pg_current_xact_id()`
      began.resolve()
      await mayGoOn.promise
      await emitAny(tx, { type, subject: 'record', data: { value: 2 } })
    })
    await began.promise
    await emitValue(sourcing.pool, type, 'record', 1)
    mayGoOn.resolve()
    await first
    await until(async () => (await effectsOf(owner(), type)).length === 2)
    expect((await effectsOf(owner(), type)).map(({ value }) => value)).toEqual([1, 2])
  })

  test('a poison event becomes a dead letter after five attempts; other subjects do not wait, its own subject continues afterwards', async () => {
    const { sourcing } = members()
    const type = 'sourcing.poison.emitted'
    const notices: DeadLetterNotice[] = []
    const webhooks = await openBus(address(), 'webhooks', { onDeadLetter: (notice) => notices.push(notice) })
    let tries = 0
    webhooks.start(
      webhooks.bus.consume({
        name: 'poison',
        subjects: [type],
        async handle(tx, event) {
          await record(tx, event)
          if (numberOf(event) !== 13) return
          tries++
          throw new Error('cannot be handled')
        },
      }),
    )
    const poison = await emitValue(sourcing.pool, type, 'bad', 13)
    await emitValue(sourcing.pool, type, 'bad', 14)
    for (const value of [1, 2, 3]) await emitValue(sourcing.pool, type, 'good', value)
    await until(async () => (await effectsOf(owner(), type)).length === 4)
    await webhooks.stop()
    expect(tries).toBe(5)
    const values = (await effectsOf(owner(), type)).map(({ value }) => value)
    // Other subjects did not wait for the poison event; the event behind it did.
    expect(values).toEqual([1, 2, 3, 14])
    const error = 'Error: cannot be handled'
    expect(notices).toEqual([{ consumer: 'poison', eventId: poison, type, tries: 5, error }])
    expect(
      await owner()`select consumer, event_id, type, subject, tries, error from webhooks.dead_letters
      where consumer = 'poison'`,
    ).toMatchObject([{ event_id: poison, type, subject: 'bad', tries: 5, error }])
    expect(await owner()`select event_id from webhooks.retry_events where consumer = 'poison'`).toHaveLength(0)
  })

  test('events are handled together; if that fails, each is handled alone and only the poison event is a dead letter', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.together.emitted'
    const batches: (number | undefined)[][] = []
    const values = [1, 2, 13, 3]
    await sourcing.pool.begin((tx) =>
      emitAllAny(
        tx,
        values.map((value) => ({ type, subject: `s${value}`, data: { value } })),
      ),
    )
    webhooks.start(
      webhooks.bus.consume({
        name: 'together',
        subjects: [type],
        async handleAll(tx, events) {
          batches.push(events.map(numberOf))
          for (const event of events) {
            if (numberOf(event) === 13) throw new Error('cannot be handled')
            await record(tx, event)
          }
        },
      }),
    )
    const dead = () => owner()`select event_id from webhooks.dead_letters where consumer = 'together'`
    await until(async () => (await effectsOf(owner(), type)).length === 3 && (await dead()).length === 1)
    expect(batches[0]).toHaveLength(4)
    await sourcing.pool.begin((tx) =>
      emitAllAny(
        tx,
        [4, 5].map((value) => ({ type, subject: `s${value}`, data: { value } })),
      ),
    )
    await until(async () => (await effectsOf(owner(), type)).length === 5)
    const later = batches.slice(1).flat()
    expect(later.filter((value) => value !== 13).sort()).toEqual([1, 2, 3, 4, 5])
    expect((await effectsOf(owner(), type)).map(({ value }) => value).sort()).toEqual([1, 2, 3, 4, 5])
  })

  test('a busy subject whose event fails at first catches up in order', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.failing.emitted'
    let failures = 3
    webhooks.start(
      webhooks.bus.consume({
        name: 'failing',
        subjects: [type],
        async handle(tx, event) {
          if (failures-- > 0) throw new Error('not now')
          await record(tx, event)
        },
      }),
    )
    let emitted = 0
    while (emitted < 300 || (await effectsOf(owner(), type)).length === 0) {
      await emitValue(sourcing.pool, type, 'busy', ++emitted)
    }
    await until(async () => (await effectsOf(owner(), type)).length === emitted)
    expect(await deliveryViolations(owner(), type)).toEqual([])
    expect(await owner()`select event_id from webhooks.dead_letters where consumer = 'failing'`).toHaveLength(0)
  })
}
