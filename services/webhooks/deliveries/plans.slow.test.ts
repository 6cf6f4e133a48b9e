import { expect, test } from 'bun:test'
import { DELIVERY_STATES } from '../../../proto/http/webhooks/deliveries.ts'
import { testDatabase } from '../../testing/database.ts'
import { planOf, workOf } from '../../testing/query-plans.ts'
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
await insertDeliveries(1, 10_000, 'DELIVERED')
// A quiet marketplace, in which everything is delivered. The plans that it makes stay while deliveries pile up.
await db.owner`vacuum (analyze) webhooks.endpoints, webhooks.deliveries`

const ofDeliveries = (indexes: readonly string[]) => indexes.filter((name) => name.startsWith('deliveries_')).sort()
const completion: Completion = {
  deliveryId: 'dlv_1',
  endpointId: 'wh_1',
  isTest: false,
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

/** Every combination of the filters of the list, with values that no other row than the rare ones has. */
/** A page of each state, or the endpoints of this test. */
const FEW = 50
/** The oldest rows, behind which a scan from the newest one would come last. */
const PERIOD = { from: '2026-05-01T12:00:00Z', to: '2026-05-01T13:00:00Z' }
const FILTERS = [{}, { endpointId: 'wh_listed' }, { endpointId: 'wh_rare' }].flatMap((endpoint) =>
  [{}, { type: 'cases.updated' as const }, { type: 'cases.closed' as const }].flatMap((type) =>
    [{}, ...DELIVERY_STATES.map((state) => ({ state }))].flatMap((state) =>
      [{}, PERIOD].map((period) => ({ ...endpoint, ...type, ...state, ...period })),
    ),
  ),
)

test('each of 72 combinations of filters reads the rows of its page alone, in a list of 60,000', async () => {
  await db.owner`
    insert into webhooks.deliveries
      (id, org_id, endpoint_id, event_id, event_time, type, state, next_attempt_at, created_at, finished_at)
    select 'dlv_listed_' || n, 'org_listed', case when n % 20000 = 0 then 'wh_rare' else 'wh_listed' end, 'evt_' || n, now(),
      case when n % 15000 = 0 then 'cases.closed' else 'cases.updated' end,
      case when n % 30000 = 1 then 'FAILED' when n % 30000 = 2 then 'PENDING' else 'DELIVERED' end, now(),
      '2026-05-01T12:00:00Z'::timestamptz + n * interval '1 second', now()
    from generate_series(1, 60000) n`
  await db.owner`vacuum (analyze) webhooks.deliveries`
  const page = { after: undefined, limit: 11, offset: 0 }
  for (const filter of FILTERS) {
    const { mostRows, blocks } = await workOf(url, (sql) => listDeliveries(sql, 'org_listed', filter, page))
    expect([filter, mostRows <= FEW, blocks <= 2 * FEW]).toEqual([filter, true, true])
  }
})

test('a later page reads no row of a delivery before it', async () => {
  const page = { after: undefined, limit: 12, offset: 20_000 }
  const { nodes } = await planOf(url, (sql) => listDeliveries(sql, 'org_listed', {}, page))
  const read = nodes.flatMap((node) => (node['Relation Name'] === 'deliveries' ? [node['Node Type']] : []))
  expect(read).toContain('Index Only Scan')
})
