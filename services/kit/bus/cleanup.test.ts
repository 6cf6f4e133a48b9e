import { afterAll, expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { connect } from '../db/client.ts'
import { cleanUpEvents } from './cleanup.ts'
import { emitAllAny } from './outbox/emit.ts'

const { owner, urlOf } = await testDatabase()
const pool = connect(urlOf('catalog'), { max: 1, applicationName: 'cleanup-test' })
afterAll(() => pool.end({ timeout: 1 }))
// The shipped catalogs have also emitted events.
await owner`delete from catalog.outbox`

const { signal } = new AbortController()
const NOW = '2026-04-29T09:10:00.000Z'
const daysAgo = (days: number) => new Date(Date.parse(NOW) - days * 24 * 3600 * 1000).toISOString()

test('expired sent rows are deleted; unsent rows are kept', async () => {
  const events = Array.from({ length: 25 }, (_, i) => ({ type: 'catalog.reloaded', subject: `s${i}`, data: {} }))
  await pool.begin((tx) =>
    emitAllAny(
      tx,
      events.map((event) => ({ ...event, time: daysAgo(100) })),
    ),
  )
  await owner`update catalog.outbox set sent_at = ${daysAgo(7.1)} where subject between 's0' and 's19'`
  await owner`update catalog.outbox set sent_at = ${daysAgo(6.9)} where subject = 's3'`
  const waiting = await owner`select id from catalog.outbox where sent_at is null`
  await cleanUpEvents(pool, NOW, signal)
  expect(await owner`select id from catalog.outbox`).toHaveLength(waiting.length + 1)
  expect(await owner`select id from catalog.outbox where sent_at < ${daysAgo(7)}`).toHaveLength(0)
})

test('processed ids are deleted after their retention', async () => {
  await owner`
    insert into catalog.processed_events (consumer, event_id, processed_at)
    values ('a', 'old', ${daysAgo(31)}), ('a', 'young', ${daysAgo(29)})`
  await cleanUpEvents(pool, NOW, signal)
  expect(await owner`select event_id from catalog.processed_events`).toMatchObject([{ event_id: 'young' }])
})
