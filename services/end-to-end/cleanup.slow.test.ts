import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { ServiceName } from '../../proto/services.ts'
import { cleanUpIdentity } from '../identity/cleanup/queries.ts'
import { cleanUpEvents } from '../kit/bus/cleanup.ts'
import type { Sql } from '../kit/db/client.ts'
import { cleanUpIdempotencyKeys } from '../kit/idempotency/queries.ts'
import { cleanUpCursors } from '../kit/pagination/queries.ts'
import { claimJob } from '../kit/worker/job-queries.ts'
import { cleanUpOrganization } from '../organization/cleanup/queries.ts'
import { finishDeletions, postponeDeletions, startDeletions } from '../sourcing/files/objects/queries.ts'
import { deleteUploads, endUploads } from '../sourcing/files/uploads/queries.ts'
import { testDatabase } from '../testing/database.ts'
import { planOf, workOf } from '../testing/query-plans.ts'

setDefaultTimeout(60_000)
const ROWS = 30_000
/** More rows than are due in these tables, and far fewer than they contain. */
const FEW = 100

const db = await testDatabase()
const now = new Date().toISOString()
const ago = new Date(Date.now() - 3 * 24 * 60 * 60 * 1000).toISOString()

/** All rows expire in the future, in random order; only three object deletions are due. */
const loads = [
  `identity.sessions (id, user_id, org_id, session_version, created_at, last_used_at, expires_at, ended_at)
   select 's' || n, 'u' || n, 'o', 1, now(), now(), now() + interval '1 day', case when n % 2 = 0 then now() end`,
  `identity.throttles (key, failures, window_started_at) select decode(md5(n::text), 'hex'), 1, now()`,
  `identity.sign_in_failures (id, failed_at) select 'f' || n, now()`,
  `identity.redeemed_activations (token_hash, redeemed_at) select decode(md5(n::text), 'hex'), now()`,
  `organization.activations (token_hash, user_id, password_version, created_at, expires_at)
   select decode(md5(n::text), 'hex'), 'user_' || n, 1, now(), now() + interval '1 day'`,
  `sourcing.idempotency_keys (user_id, operation, key, request_hash, response, created_at)
   select 'u' || n, 'op', 'k', '\\x00', '{}', now() - random() * interval '1 hour'`,
  `sourcing.page_cursors (key, page, expires_at) select 'k' || n, 1, now() + random() * interval '1 hour'`,
  `sourcing.outbox (id, type, subject, time, data, sent_at) select 'e' || n, 't', 's', now(), '{}', now()`,
  `sourcing.processed_events (consumer, event_id, processed_at) select 'c', 'e' || n, now()`,
  `sourcing.uploads (id, org_id, user_id, name, public, state, created_at, expires_at)
   select 'u' || n, 'o' || n % 100, 'u', 'a', false, (array['OPEN', 'ATTACHED', 'DEAD'])[1 + n % 3], now(),
     now() + random() * interval '1 day'`,
  `sourcing.scheduled_deletions (object_key, due_at)
   select 'k' || n, now() + case when n <= 3 then interval '-1 day' else random() * interval '1 day' end`,
  `sourcing.files (id, part_id, org_id, name, file_group, state, public, created_at)
   select 'file_' || n, 'part_' || n, 'org_' || n % 100, 'a', 'document', 'PENDING', false, now()`,
  `sourcing.jobs (kind, id, tenant_id, created_at, due_at)
   select 'file-copy', 'file_' || n, 'org_' || n % 100, now(), now() + interval '1 hour'`,
]

beforeAll(async () => {
  await db.owner.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    for (const load of loads) await tx.unsafe(`insert into ${load} from generate_series(1, ${ROWS}) n`)
  })
  await db.owner`analyze`
})

const { signal } = new AbortController()
const cleanups: [string, ServiceName, (sql: Sql) => PromiseLike<unknown>][] = [
  ['sessions, throttles, failures and redeemed links', 'identity', (sql) => cleanUpIdentity(sql, now, signal)],
  ['activation links', 'organization', (sql) => cleanUpOrganization(sql, now, signal)],
  ['idempotency keys', 'sourcing', (sql) => cleanUpIdempotencyKeys(sql, now, signal)],
  ['page cursors', 'sourcing', (sql) => cleanUpCursors(sql, now, signal)],
  ['events', 'sourcing', (sql) => cleanUpEvents(sql, now, signal)],
  ['expiring uploads', 'sourcing', (sql) => endUploads(sql, now, 500)],
  ['expired uploads', 'sourcing', (sql) => deleteUploads(sql, ago, 500)],
  ['object deletions', 'sourcing', (sql) => startDeletions(sql, now, 16)],
]

test.each(cleanups)('cleanup of %s reads only due rows', async (_, service, cleanup) => {
  const work = await workOf(db.urlOf(service), cleanup)
  expect([work.scannedWhole, work.mostRows < FEW ? 'few' : `${work.mostRows} of ${work.busiest}`]).toEqual([[], 'few'])
})

test('no statement on objects or jobs scans a large table', async () => {
  const url = db.urlOf('sourcing')
  const deletions = [{ object_key: 'k1', due_at: now }]
  const plans = [
    await planOf(url, (sql) => startDeletions(sql, ago, 16)),
    await planOf(url, (sql) => finishDeletions(sql, deletions)),
    await planOf(url, (sql) => postponeDeletions(sql, deletions, now)),
  ]
  expect(plans.flatMap(({ scannedWhole }) => scannedWhole)).toEqual([])
  const kinds = [{ kind: 'file-copy', tenantSlots: 2, leaseMs: 15_000 }]
  const { scannedWhole } = await planOf(url, (sql) => claimJob(sql, crypto.randomUUID(), kinds, now))
  // The table of turns has one row per organization.
  expect(scannedWhole.filter((table) => table !== 'job_turns')).toEqual([])
})
