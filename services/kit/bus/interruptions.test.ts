import { afterAll, expect, test } from 'bun:test'
import type { Envelope } from '../../../proto/events/envelope.ts'
import {
  createEffects,
  deliveryViolations,
  effectsOf,
  numberOf,
  openBus,
  record,
  until,
} from '../../testing/bus/harness.ts'
import { testDatabase } from '../../testing/database.ts'
import type { Tx } from '../db/client.ts'
import { emitAllAny } from './outbox/emit.ts'

/** Failures of dependencies in the handler of a consumer that has two tries. */
const TRIES = 2
const { owner, urlOf } = await testDatabase()
await createEffects(owner)
const sourcing = await openBus({ urlOf }, 'sourcing')
const webhooks = await openBus({ urlOf }, 'webhooks', { timing: { tries: TRIES, backoffMs: [5] } })
afterAll(async () => {
  await webhooks.stop()
  await sourcing.stop()
})

/**
 * Emits one event for each value, all of one subject, and handles them. The handler knows how often it was called for
 * its value.
 */
async function consume(
  name: string,
  values: readonly number[],
  handle: (tx: Tx, event: Envelope, call: number) => Promise<void>,
) {
  const type = `sourcing.${name}.emitted`
  const calls = new Map<number, number>()
  const callsOf = (value: number) => calls.get(value) ?? 0
  const events = values.map((value) => ({ type, subject: 'record', data: { value } }))
  await sourcing.pool.begin((tx) => emitAllAny(tx, events))
  webhooks.start(
    webhooks.bus.consume({
      name,
      subjects: [type],
      async handle(tx, event) {
        calls.set(numberOf(event), callsOf(numberOf(event)) + 1)
        await handle(tx, event, callsOf(numberOf(event)))
      },
    }),
  )
  return {
    callsOf,
    handled: () => effectsOf(owner, type),
    violations: () => deliveryViolations(owner, type),
    dead: () => owner<{ tries: number; error: string }[]>`
      select tries, error from webhooks.dead_letters where consumer = ${name}`,
  }
}

test('a lock that lasts longer than all tries of an event makes no dead letter of it', async () => {
  const lock = await owner.reserve()
  await lock`begin`
  await lock`lock table webhooks.effects in access exclusive mode`
  const { callsOf, handled, violations, dead } = await consume('locked', [1, 2], async (tx, event) => {
    await tx`select set_config('lock_timeout', '5ms', true)`
    await record(tx, event)
  })
  // One call is that of the batch.
  await until(() => callsOf(1) >= TRIES + 3)
  await lock`commit`
  lock.release()
  await until(async () => (await handled()).length === 2)
  expect([await violations(), await dead()]).toEqual([[], []])
})

test('lost connections and a read-only database do not count as tries of an event', async () => {
  const { handled, violations, dead } = await consume('cut', [1], async (tx, event, call) => {
    if (call <= 2) await tx`select pg_terminate_backend(pg_backend_pid())`
    if (call <= 4) await tx`set transaction read only`
    await record(tx, event)
  })
  await until(async () => (await handled()).length === 1)
  expect([await violations(), await dead()]).toEqual([[], []])
})

test('a statement that is too slow in every try of an event makes a dead letter of it, and the next event continues', async () => {
  const { callsOf, handled, dead } = await consume('slow', [1, 2], async (tx, event) => {
    if (numberOf(event) === 1) {
      await tx`select set_config('statement_timeout', '5ms', true)`
      await tx`select pg_sleep(5)`
    }
    await record(tx, event)
  })
  await until(async () => (await handled()).length === 1)
  expect((await handled()).map(({ value }) => value)).toEqual([2])
  expect([...(await dead())]).toEqual([
    { tries: TRIES, error: 'PostgresError: canceling statement due to statement timeout' },
  ])
  expect(callsOf(1)).toBe(TRIES)
})

test('a read-only database for an event behind another one of its subject does not count', async () => {
  const { callsOf, handled, violations, dead } = await consume('behind', [1, 2], async (tx, event, call) => {
    if (numberOf(event) === 1 && call === 1) throw new Error('not now')
    if (numberOf(event) === 2 && call <= TRIES + 1) await tx`set transaction read only`
    await record(tx, event)
  })
  await until(async () => (await handled()).length === 2)
  expect([callsOf(2), await violations(), await dead()]).toEqual([TRIES + 2, [], []])
})

test('an event that fails by itself after interruptions is a dead letter after all of its tries', async () => {
  const { callsOf, dead } = await consume('poison', [1], async (tx, _, call) => {
    if (call <= 3) await tx`set transaction read only`
    if (call <= 3) await tx`insert into webhooks.effects (event_id, type, subject, value) values ('', '', '', 1)`
    throw new Error('cannot be handled')
  })
  await until(async () => (await dead()).length === 1)
  expect([...(await dead())]).toEqual([{ tries: TRIES, error: 'Error: cannot be handled' }])
  expect(callsOf(1)).toBe(3 + TRIES)
})

test('a consumer that cannot look for retries keeps its leadership and handles new events', async () => {
  const log = {
    lines: [] as string[],
    info: () => {},
    warn: () => {},
    error: (_: object, text: string) => void log.lines.push(text),
  }
  const member = await openBus({ urlOf }, 'webhooks', { log })
  await owner`revoke update on webhooks.job_turns from marketplace_webhooks`
  const type = 'sourcing.unclaimed.emitted'
  member.start(member.bus.consume({ name: 'unclaimed', subjects: [type], handle: record }))
  await until(() => log.lines.length >= 3)
  await sourcing.pool.begin((tx) => emitAllAny(tx, [{ type, subject: 'record', data: { value: 1 } }]))
  await until(async () => (await effectsOf(owner, type)).length === 1)
  expect(new Set(log.lines)).toEqual(new Set(['worker failed; restarting it']))
  await owner`grant update on webhooks.job_turns to marketplace_webhooks`
  await member.stop()
})
