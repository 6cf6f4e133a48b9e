import { afterAll, expect, test } from 'bun:test'
import type { Envelope } from '../../../../proto/events/envelope.ts'
import { testDatabase } from '../../../testing/database.ts'
import { until } from '../../../testing/until.ts'
import { connect } from '../../db/client.ts'
import { JobWorker } from '../../worker/jobs.ts'
import { insertRetries, requeueDeadLetters } from './queries.ts'
import { RetryQueue } from './retry-queue.ts'

const CONSUMER = 'requeue-test'
const db = await testDatabase()
const sql = connect(db.urlOf('webhooks'), { max: 4, applicationName: 'test-requeue' })
afterAll(() => sql.end({ timeout: 1 }))

const envelopeOf = (id: string) =>
  JSON.stringify({ id, source: 'sourcing', subject: 'part_1', type: 'sourcing.part.updated' })

test('a dead letter that is requeued while an event of its subject is handled is handled after it', async () => {
  const handled: string[] = []
  const release = Promise.withResolvers<void>()
  const queue = new RetryQueue(
    {
      name: CONSUMER,
      subjects: ['sourcing.>'],
      async handle(_tx: unknown, event: Envelope) {
        handled.push(event.id)
        if (event.id === 'waits') await release.promise
      },
    } as unknown as ConstructorParameters<typeof RetryQueue>[0],
    {
      ...{ service: 'webhooks', pool: sql, tries: 3, backoffMs: [50] },
      log: { info() {}, warn() {}, error() {} },
      onDeadLetter() {},
    } as unknown as ConstructorParameters<typeof RetryQueue>[1],
  )
  await db.owner`insert into webhooks.bus_cursors ${db.owner({ consumer: CONSUMER, source: 'sourcing' })}`
  await db.owner`
    insert into webhooks.dead_letters (consumer, event_id, type, subject, envelope, tries, error)
    values (${CONSUMER}, 'dead', 'sourcing.part.updated', 'part_1', ${envelopeOf('dead')}, 3, 'failed')`
  const waits = { event_id: 'waits', source: 'sourcing', subject: 'part_1', envelope: envelopeOf('waits') }
  await sql.begin((tx) => insertRetries(tx, CONSUMER, [waits], { id: '', pauseMs: 0 }))

  const stopping = new AbortController()
  const worker = new JobWorker('retries', { sql, clock: Date.now, log: { info() {}, warn() {}, error() {} } }, [
    queue.kind as ConstructorParameters<typeof JobWorker>[2][number],
  ])
  const running = worker.run(stopping.signal)
  await until(() => handled.includes('waits'))
  const requeued = requeueDeadLetters(sql, CONSUMER).execute()
  // It waits for the running job, or has changed nothing of it.
  await until(async () => {
    const [waiting] = await db.owner`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return waiting !== undefined || (await db.owner`select from webhooks.dead_letters`).length === 0
  })
  release.resolve()
  await requeued
  await until(() => handled.includes('dead'))
  expect(handled).toEqual(['waits', 'dead'])
  stopping.abort()
  await running
})
