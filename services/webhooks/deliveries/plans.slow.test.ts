import { expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { planOf } from '../../testing/query-plans.ts'
import { listDeliveries } from './list-queries.ts'
import { type Completion, claimDue, completeDeliveries, listDueEndpoints } from './queries.ts'

const db = await testDatabase()
const url = db.urlOf('webhooks')
const now = new Date().toISOString()

/** Deliveries of fifty endpoints of five organizations. */
const insertDeliveries = (first: number, last: number, state: 'PENDING' | 'DELIVERED') => db.owner`
  insert into webhooks.deliveries
    (id, org_id, endpoint_id, event_id, event_time, type, state, next_attempt_at, created_at, finished_at)
  select 'dlv_' || n, 'org_' || n % 5, 'wh_' || n % 50, 'evt_' || n, ${now}::timestamptz, 'cases.updated', ${state}::text,
    ${now}::timestamptz, ${now}::timestamptz, case when ${state}::text <> 'PENDING' then ${now}::timestamptz end
  from generate_series(${first}::integer, ${last}::integer) n`
await db.owner`
  insert into webhooks.endpoints (id, org_id, url, events, status, secret, created_at, updated_at)
  select 'wh_' || n, 'org_' || n % 5, 'https://example.com', '{}', 'active', '', now(), now()
  from generate_series(0, 49) n`
await insertDeliveries(1, 20_000, 'DELIVERED')
// A quiet marketplace, in which everything is delivered. The plans that it makes stay while deliveries pile up.
await db.owner`vacuum (analyze) webhooks.endpoints, webhooks.deliveries`

const ofDeliveries = (indexes: readonly string[]) => indexes.filter((name) => name.startsWith('deliveries_')).sort()
const completion: Completion = {
  deliveryId: 'dlv_1',
  endpointId: 'wh_1',
  attempt: 1,
  leaseToken: crypto.randomUUID(),
  state: 'DELIVERED',
  nextAttemptAt: now,
  startedAt: now,
  durationMs: 1,
  status: 200,
  error: null,
  response: null,
}

test('due endpoints are found by the index of due deliveries alone', async () => {
  const { indexes, scannedWhole } = await planOf(url, (sql) => listDueEndpoints(sql, now))
  expect([...new Set(ofDeliveries(indexes))]).toEqual(['deliveries_due'])
  expect(scannedWhole).not.toContain('deliveries')
})

test('a claim reads the due deliveries of its endpoints, and the rows that it leases', async () => {
  const lease = { token: crypto.randomUUID(), seconds: 45 }
  const { indexes } = await planOf(url, (sql) => claimDue(sql, new Map([['wh_1', 5]]), lease, now))
  expect(ofDeliveries(indexes)).toEqual(['deliveries_due', 'deliveries_pkey'])
})

test('results are recorded by the ids of their deliveries', async () => {
  const { indexes } = await planOf(url, (sql) => completeDeliveries(sql, [completion], now))
  expect(ofDeliveries(indexes)).toEqual(['deliveries_pkey'])
})

test('the list of pending deliveries has an index of its own', async () => {
  const page = { after: undefined, limit: 11, offset: 0, now }
  const { indexes } = await planOf(url, (sql) => listDeliveries(sql, 'org_1', { state: 'PENDING' }, page))
  expect(ofDeliveries(indexes)).toEqual(['deliveries_pending'])
})
