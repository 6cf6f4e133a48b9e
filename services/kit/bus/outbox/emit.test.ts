import { afterAll, expect, test } from 'bun:test'
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { testDatabase } from '../../../testing/database.ts'
import { until } from '../../../testing/until.ts'
import { connect, type Pool, type Sql, type Tx } from '../../db/client.ts'
import { type emit, emitAllAny, emitAny } from './emit.ts'

const { owner, urlOf } = await testDatabase()
const pool = connect(urlOf('sourcing'), { max: 2, applicationName: 'emit-test' })
afterAll(() => pool.end({ timeout: 1 }))

const event = { type: 'sourcing.part.created', tenantId: 'org_1', subject: 'part_1', data: { partId: 'part_1' } }

test('emit accepts only a transaction: a pool, or a value that may be one, does not compile', () => {
  type Taken<T> = T extends Parameters<typeof emit>[0] ? true : false
  const taken: { tx: Taken<Tx>; pool: Taken<Pool>; either: Taken<Sql> extends true ? true : false } = {
    tx: true,
    pool: false,
    either: false,
  }
  expect(taken.pool).toBe(false)
})

test('the event is in the outbox of the writing service if the transaction commits', async () => {
  const id = await pool.begin((tx) => emitAny(tx, event))
  const rolledBack = pool.begin(async (tx) => {
    await emitAny(tx, event)
    throw new Error('no')
  })
  expect(rolledBack).rejects.toThrow('no')
  await rolledBack.catch(() => {})
  expect(await owner`select id, type, subject, tenant_id, data, sent_at from sourcing.outbox`).toMatchObject([
    { id, type: event.type, subject: 'part_1', tenant_id: 'org_1', data: '{"partId":"part_1"}', sent_at: null },
  ])
  expect(await owner`select id from identity.outbox`).toHaveLength(0)
})

test('a commit notifies of subscribed events only; others are announced after it', async () => {
  const [notified, announced]: string[][] = [[], []]
  const listeners = await Promise.all([
    owner.listen('events_sourcing', (payload) => notified?.push(JSON.parse(payload).type)),
    owner.listen('commits_sourcing', (payload) => announced?.push(...JSON.parse(payload).about)),
  ])
  await pool.begin((tx) => emitAny(tx, event))
  await pool.begin((tx) => emitAny(tx, { ...event, isSubscribed: true }))
  await until(() => notified?.length === 1 && announced?.length === 2)
  expect([notified, announced]).toEqual([[event.type], [event.type, event.type]])
  await Promise.all(listeners.map(({ unlisten }) => unlisten()))
})

test('several events keep their order', async () => {
  const events = Array.from({ length: 500 }, (_, value) => ({ ...event, subject: 'ordered', data: { value } }))
  const ids = await pool.begin((tx) => emitAllAny(tx, events))
  const rows = await owner<{ id: string; data: string }[]>`
    select id, data from sourcing.outbox where subject = 'ordered' order by seq`
  expect(rows.map(({ id }) => id)).toEqual(ids)
  expect(rows.map(({ data }) => JSON.parse(data).value)).toEqual(events.map(({ data }) => data.value))
  expect(await pool.begin((tx) => emitAllAny(tx, []))).toEqual([])
})

test('an event that no stream carries or no broker accepts fails its command', async () => {
  const wrong = [
    { ...event, type: 'billing.invoice.created' },
    { ...event, type: 'sourcing' },
    { ...event, type: 'sourcing.part created' },
    { ...event, type: 'sourcing.*' },
    { ...event, type: `sourcing.${'x'.repeat(128)}` },
    { ...event, subject: '' },
    { ...event, subject: 'x'.repeat(257) },
    { ...event, data: undefined },
    { ...event, data: { text: 'ö'.repeat(131_072) } },
  ]
  for (const one of wrong) expect(pool.begin((tx) => emitAny(tx, one))).rejects.toThrow(/^event /)
})

test('the event carries the trace of its command', async () => {
  const span = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: 1 }
  // No SDK is loaded here, so the context is set by hand.
  const manager = {
    active: () => trace.setSpanContext(ROOT_CONTEXT, span),
    with: <A extends unknown[], R>(_context: unknown, work: (...args: A) => R, self?: unknown, ...args: A) =>
      work.apply(self, args),
    bind: <T>(_context: unknown, target: T) => target,
    enable() {
      return this
    },
    disable() {
      return this
    },
  }
  context.setGlobalContextManager(manager)
  try {
    await pool.begin((tx) => emitAny(tx, { ...event, subject: 'traced' }))
  } finally {
    context.disable()
  }
  expect(await owner`select traceparent from sourcing.outbox where subject = 'traced'`).toMatchObject([
    { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
  ])
})

test('another service may read events and change none', async () => {
  const other = connect(urlOf('webhooks'), { max: 1, applicationName: 'emit-test' })
  expect((await other`select id from sourcing.published_events`).length).toBeGreaterThan(0)
  for (const attempt of [
    other`select id from sourcing.outbox`,
    other`delete from sourcing.published_events`,
    other`update sourcing.bus_cursors set seq = 0`,
    other`insert into sourcing.dead_letters (consumer, event_id, envelope, tries, error) values ('a', 'b', '', 0, '')`,
  ]) {
    expect(attempt).rejects.toMatchObject({ code: '42501' })
    await attempt.catch(() => {})
  }
  await other.end({ timeout: 1 })
})
