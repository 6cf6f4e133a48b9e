import { expect, test } from 'bun:test'
import type { DeadLetterNotice } from '../bus.ts'
import { emit } from '../outbox/emit.ts'
import { unsend } from '../outbox/queries.ts'
import {
  announce,
  effectsOf,
  faultsOf,
  heartbeats,
  joinBus,
  type Member,
  numberOf,
  type Rig,
  record,
  until,
} from './harness.ts'

/** What a consumer may rely on, on every driver. */
export function deliveryTests(rig: () => Rig, members: () => { sourcing: Member; webhooks: Member }): void {
  const owner = () => rig().database.owner
  const address = () => ({ ...rig(), urlOf: rig().database.urlOf })

  test('an event is handled once, as it was announced', async () => {
    const { sourcing, webhooks } = members()
    const heard: unknown[] = []
    webhooks.start(
      webhooks.bus.consume({
        name: 'once',
        subjects: ['sourcing.once.*'],
        async handle(_tx, event) {
          heard.push(event)
        },
      }),
    )
    const data = { text: 'Öl "&" \u2028 \\', list: [1, null, { deep: true }], number: 0.1 }
    const time = '2026-04-29T09:10:00.000Z'
    const id = await sourcing.pool.begin((tx) =>
      emit(tx, { type: 'sourcing.once.told', tenantId: 'org_1', subject: 'part_1', data, time }),
    )
    await until(() => heard.length > 0)
    expect(heard).toEqual([
      {
        specversion: '1.0',
        id,
        source: '/marketplace/sourcing',
        type: 'sourcing.once.told',
        subject: 'part_1',
        time,
        tenantid: 'org_1',
        datacontenttype: 'application/json',
        data,
      },
    ])
    expect(id).toMatch(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/)
  })

  test('an event of a transaction that was rolled back is handled by nobody', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.rolledback.told'
    webhooks.start(webhooks.bus.consume({ name: 'rolledback', subjects: [type], handle: record }))
    const failed = sourcing.pool.begin(async (tx) => {
      await emit(tx, { type, subject: 'a', data: { value: 1 } })
      throw new Error('no')
    })
    expect(failed).rejects.toThrow('no')
    await announce(sourcing.pool, type, 'a', 2)
    await until(async () => (await effectsOf(owner(), type)).length > 0)
    expect((await effectsOf(owner(), type)).map(({ value }) => value)).toEqual([2])
  })

  test('subjects keep their order while several replicas and announcers are at work', async () => {
    const { sourcing, webhooks } = members()
    const second = await joinBus(address(), 'webhooks')
    const type = 'sourcing.ordered.told'
    for (const { bus, start } of [webhooks, second]) {
      start(bus.consume({ name: 'ordered', subjects: [type], handle: record }))
    }
    const subjects = Array.from({ length: 10 }, (_, i) => `subject-${i}`)
    await Promise.all(
      subjects.map(async (subject) => {
        for (let value = 1; value <= 30; value++) await announce(sourcing.pool, type, subject, value)
      }),
    )
    await until(async () => (await effectsOf(owner(), type)).length >= 300)
    await second.stop()
    expect(await faultsOf(owner(), type)).toEqual([])
  })

  test('a consumer that begins late is given what came before', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.late.told'
    for (const value of [1, 2, 3]) await announce(sourcing.pool, type, 'a', value)
    webhooks.start(webhooks.bus.consume({ name: 'late', subjects: [type], handle: record }))
    await until(async () => (await effectsOf(owner(), type)).length === 3)
    expect(await faultsOf(owner(), type)).toEqual([])
  })

  test('what is sent again is dropped by its id, also where only some of it was new', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.again.told'
    const since = new Date().toISOString()
    webhooks.start(webhooks.bus.consume({ name: 'again', subjects: [type], handle: record }))
    for (const value of [1, 2, 3]) await announce(sourcing.pool, type, 'a', value)
    await until(async () => (await effectsOf(owner(), type)).length === 3)
    await unsend(owner(), 'sourcing', since)
    await announce(sourcing.pool, type, 'a', 4)
    await until(async () => (await effectsOf(owner(), type)).length >= 4)
    expect(await faultsOf(owner(), type)).toEqual([])
  })

  test('a transaction that commits late is not passed over', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.commits.told'
    webhooks.start(webhooks.bus.consume({ name: 'commits', subjects: [type], handle: record }))
    const emitted = Promise.withResolvers<void>()
    const mayCommit = Promise.withResolvers<void>()
    const slow = sourcing.pool.begin(async (tx) => {
      await emit(tx, { type, subject: 'slow', data: { value: 1 } })
      emitted.resolve()
      await mayCommit.promise
    })
    await emitted.promise
    // Later in every number, and committed first; readers have time to see it.
    await announce(sourcing.pool, type, 'quick', 2)
    await heartbeats(webhooks, 4)
    mayCommit.resolve()
    await slow
    await until(async () => (await effectsOf(owner(), type)).length === 2)
    expect(await faultsOf(owner(), type)).toEqual([])
  })

  test('of two changes of one record the later is handled later, though its transaction began first', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.overtaken.told'
    webhooks.start(webhooks.bus.consume({ name: 'overtaken', subjects: [type], handle: record }))
    const began = Promise.withResolvers<void>()
    const mayGoOn = Promise.withResolvers<void>()
    const first = sourcing.pool.begin(async (tx) => {
      await tx`select pg_current_xact_id()`
      began.resolve()
      await mayGoOn.promise
      await emit(tx, { type, subject: 'record', data: { value: 2 } })
    })
    await began.promise
    await announce(sourcing.pool, type, 'record', 1)
    mayGoOn.resolve()
    await first
    await until(async () => (await effectsOf(owner(), type)).length === 2)
    expect((await effectsOf(owner(), type)).map(({ value }) => value)).toEqual([1, 2])
  })

  test('a poison event is given up after its tries; others go on, and those of its subject come after it', async () => {
    const { sourcing } = members()
    const type = 'sourcing.poison.told'
    const notices: DeadLetterNotice[] = []
    const webhooks = await joinBus(address(), 'webhooks', { onDeadLetter: (notice) => notices.push(notice) })
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
    const poison = await announce(sourcing.pool, type, 'bad', 13)
    await announce(sourcing.pool, type, 'bad', 14)
    for (const value of [1, 2, 3]) await announce(sourcing.pool, type, 'good', value)
    await until(async () => (await effectsOf(owner(), type)).length === 4)
    await webhooks.stop()
    expect(tries).toBe(5)
    const values = (await effectsOf(owner(), type)).map(({ value }) => value)
    // The good ones did not wait for the end of the bad one; the one behind it did.
    expect(values).toEqual([1, 2, 3, 14])
    const error = 'Error: cannot be handled'
    expect(notices).toEqual([{ consumer: 'poison', eventId: poison, type, tries: 5, error }])
    expect(
      await owner()`select consumer, event_id, type, subject, tries, error from webhooks.dead_letters
      where consumer = 'poison'`,
    ).toMatchObject([{ event_id: poison, type, subject: 'bad', tries: 5, error }])
    expect(await owner()`select event_id from webhooks.retry_events where consumer = 'poison'`).toHaveLength(0)
  })

  test('a busy subject whose event fails at first is caught up with, in its order', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.failing.told'
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
    let announced = 0
    while (announced < 300 || (await effectsOf(owner(), type)).length === 0) {
      await announce(sourcing.pool, type, 'busy', ++announced)
    }
    await until(async () => (await effectsOf(owner(), type)).length === announced)
    expect(await faultsOf(owner(), type)).toEqual([])
    expect(await owner()`select event_id from webhooks.dead_letters where consumer = 'failing'`).toHaveLength(0)
  })
}
