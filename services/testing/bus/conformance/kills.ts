import { expect, test } from 'bun:test'
import {
  addressVariables,
  deliveryViolations,
  effectsOf,
  emittedEventsOf,
  emitValue,
  type Harness,
  type Member,
  openBus,
  record,
  spawnProgram,
  until,
} from '../harness.ts'

/** No event is lost, repeated or reordered when a process, a connection or a server is killed. */
export function killTests(harness: () => Harness, members: () => { sourcing: Member; webhooks: Member }): void {
  const owner = () => harness().database.owner
  const address = () => ({ ...harness(), urlOf: harness().database.urlOf })
  const consumerOf = (type: string) => type.replaceAll('.', '-')
  const consume = (member: Member, type: string) =>
    member.start(member.bus.consume({ name: consumerOf(type), subjects: [type], handle: record }))
  const allHandled = async (type: string) =>
    (await effectsOf(owner(), type)).length >= (await emittedEventsOf(owner(), type)).length

  test('a consumer killed in its handler is replaced, and each effect happens once and in order', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.killed.emitted'
    const program = spawnProgram('consumer.fixture.ts', {
      ...addressVariables(harness()),
      BUS_TYPE: type,
      BUS_STOP_AT: '7',
    })
    for (let value = 1; value <= 20; value++) await emitValue(sourcing.pool, type, `subject-${value % 2}`, value)
    await program.says('in the middle')
    await program.kill()
    // New events must not overtake those that the killed consumer held.
    for (let value = 21; value <= 40; value++) await emitValue(sourcing.pool, type, `subject-${value % 2}`, value)
    consume(webhooks, type)
    await until(() => allHandled(type))
    expect(await deliveryViolations(owner(), type)).toEqual([])
  })

  test('an event that crashes its process becomes a dead letter; the others are handled', async () => {
    const { sourcing } = members()
    const type = 'sourcing.deadly.emitted'
    for (const value of [1, 2]) await emitValue(sourcing.pool, type, 'good', value)
    await emitValue(sourcing.pool, type, 'bad', 12)
    const deadly = await emitValue(sourcing.pool, type, 'bad', 13)
    for (const value of [14, 15]) await emitValue(sourcing.pool, type, 'bad', value)
    const deadLetters = () => owner()`
      select event_id, tries from webhooks.dead_letters where consumer = ${consumerOf(type)}`
    let processes = 0
    while ((await deadLetters()).length === 0) {
      processes++
      const program = spawnProgram('consumer.fixture.ts', {
        ...addressVariables(harness()),
        BUS_TYPE: type,
        BUS_CRASH_AT: '13',
      })
      await Promise.race([program.ended(), until(async () => (await deadLetters()).length > 0)])
      if ((await deadLetters()).length > 0) {
        await until(async () => (await effectsOf(owner(), type)).length === 5)
        await program.kill()
      }
    }
    expect(await deadLetters()).toMatchObject([{ event_id: deadly, tries: 2 }])
    // One crash splits the batch, two are the attempts, and the next process moves the event to the dead letters.
    expect(processes).toBe(4)
    const handled = Map.groupBy(await effectsOf(owner(), type), ({ subject }) => subject)
    expect(handled.get('good')?.map(({ value }) => value)).toEqual([1, 2])
    expect(handled.get('bad')?.map(({ value }) => value)).toEqual([12, 14, 15])
  }, 120_000)

  test('a relay killed between publishing and marking is replaced, and no event is lost or repeated', async () => {
    const { sourcing, webhooks } = members()
    const type = 'sourcing.relayed.emitted'
    await sourcing.stop()
    const emitter = await openBus(address(), 'sourcing')
    for (let value = 1; value <= 50; value++) await emitValue(emitter.pool, type, `subject-${value % 5}`, value)
    // Rows can be read but not marked, which stops the relay at this point.
    const locked = Promise.withResolvers<void>()
    const killed = Promise.withResolvers<void>()
    const lock = owner().begin(async (tx) => {
      await tx`lock table sourcing.outbox in share mode`
      locked.resolve()
      await killed.promise
    })
    await locked.promise
    const program = spawnProgram('relay.fixture.ts', addressVariables(harness()))
    await until(
      async () =>
        (
          await owner()`
      select pid from pg_locks where relation = 'sourcing.outbox'::regclass and not granted`
        ).length > 0,
    )
    await program.kill()
    killed.resolve()
    await lock
    emitter.start(emitter.bus.relay())
    consume(webhooks, type)
    await until(() => allHandled(type))
    expect(await deliveryViolations(owner(), type)).toEqual([])
    await emitter.stop()
  })

  test('after repeated cuts of all connections to Postgres everything resumes', async () => {
    const sourcing = await openBus(address(), 'sourcing')
    const webhooks = await openBus(address(), 'webhooks')
    const type = 'sourcing.cut.emitted'
    sourcing.start(sourcing.bus.relay())
    consume(webhooks, type)
    const emitters = ['a', 'b', 'c'].map(async (subject) => {
      for (let value = 1; value <= 60; value++) await emitValue(sourcing.pool, type, subject, value).catch(() => {})
    })
    for (let cut = 0; cut < 8; cut++) {
      const before = (await effectsOf(owner(), type)).length
      await owner()`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and usename in ('marketplace_sourcing', 'marketplace_webhooks')`
      await until(async () => (await effectsOf(owner(), type)).length > before || (await allHandled(type)))
    }
    await Promise.all(emitters)
    // The last cut may still end a connection that is being opened.
    await until(() =>
      emitValue(sourcing.pool, type, 'last', 1).then(
        () => true,
        () => false,
      ),
    )
    await until(async () => (await effectsOf(owner(), type)).some(({ subject }) => subject === 'last'))
    await until(() => allHandled(type))
    expect(await deliveryViolations(owner(), type)).toEqual([])
    await Promise.all([sourcing.stop(), webhooks.stop()])
  })

  test('events emitted while the transport is down arrive after its restart', async () => {
    const sourcing = await openBus(address(), 'sourcing')
    const webhooks = await openBus(address(), 'webhooks')
    const type = 'sourcing.interrupted.emitted'
    sourcing.start(sourcing.bus.relay())
    consume(webhooks, type)
    for (let value = 1; value <= 30; value++) await emitValue(sourcing.pool, type, 'a', value)
    for (let round = 0; round < 3; round++) {
      const interrupted = harness().interrupt()
      for (let value = 1; value <= 30; value++) await emitValue(sourcing.pool, type, `round-${round}`, value)
      await interrupted
    }
    await until(() => allHandled(type))
    expect(await deliveryViolations(owner(), type)).toEqual([])
    await Promise.all([sourcing.stop(), webhooks.stop()])
  })
}
