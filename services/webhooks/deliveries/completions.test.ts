import { expect, test } from 'bun:test'
import { connect } from '../../kit/db/client.ts'
import { newId } from '../../kit/db/ids.ts'
import { testDatabase } from '../../testing/database.ts'
import { until } from '../../testing/until.ts'
import { CompletionBatch } from './completion-batch.ts'
import { type Completion, completeDeliveries } from './queries.ts'

const db = await testDatabase()
const { owner } = db
/** Statements of this pool end quickly when they wait for a lock. */
const url = new URL(db.urlOf('webhooks'))
url.searchParams.set('lock_timeout', '50')
const sql = connect(url.href, { max: 3, applicationName: 'test-completions' })
db.beforeDrop(() => sql.end({ timeout: 1 }))
const now = new Date().toISOString()

/** A delivery that is leased, and the result of its attempt. */
async function leased(result: Partial<Completion> = {}): Promise<Completion> {
  const [deliveryId, endpointId, leaseToken] = [newId('dlv'), newId('wh'), crypto.randomUUID()]
  await owner`
    insert into webhooks.deliveries
      (id, org_id, endpoint_id, event_id, event_time, type, attempt, lease_token, lease_until, next_attempt_at, created_at)
    values (${deliveryId}, 'org_1', ${endpointId}, ${newId('evt')}, now(), 'cases.created', 1, ${leaseToken},
      now() + interval '45 seconds', now(), now())`
  return {
    ...{ deliveryId, endpointId, leaseToken, isTest: false, attempt: 1, state: 'DELIVERED', nextAttemptAt: now },
    ...{ startedAt: now, durationMs: 1, status: 200, error: null, response: 'ok' },
    ...result,
  }
}
const stateOf = async ({ deliveryId }: Completion) => {
  const [row] = await owner<{ state: string; attempts: number }[]>`
    select state, (select count(*)::integer from webhooks.attempts where delivery_id = d.id) as attempts
    from webhooks.deliveries d where id = ${deliveryId}`
  return row
}

/** Counts the statements of the pool that a lock has made wait. */
async function untilLockedOut(times: number): Promise<void> {
  const waits = new Set<string>()
  await until(async () => {
    const rows = await owner<{ began: string }[]>`
      select query_start::text as began from pg_stat_activity
      where application_name = 'test-completions' and wait_event_type = 'Lock'`
    for (const { began } of rows) waits.add(began)
    return waits.size >= times
  })
}

test('results that a lock kept from being recorded are recorded when it ends', async () => {
  const batch = new CompletionBatch({ sql, clock: Date.now })
  const results = await Promise.all([leased(), leased()])
  const lock = await owner.reserve()
  await lock`begin`
  await lock`lock table webhooks.deliveries in share mode`
  const recorded = Promise.all(results.map((result) => batch.add(result)))
  await untilLockedOut(3)
  await lock`commit`
  lock.release()
  await recorded
  for (const result of results) expect(await stateOf(result)).toEqual({ state: 'DELIVERED', attempts: 1 })
})

test('a lost connection does not lose results', async () => {
  const batch = new CompletionBatch({ sql, clock: Date.now })
  const result = await leased()
  const lock = await owner.reserve()
  await lock`begin`
  await lock`lock table webhooks.attempts in share mode`
  const recorded = batch.add(result)
  await until(
    async () =>
      (
        await owner`
          select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'test-completions' and wait_event_type = 'Lock'`
      ).length > 0,
  )
  await lock`commit`
  lock.release()
  await recorded
  expect(await stateOf(result)).toEqual({ state: 'DELIVERED', attempts: 1 })
})

test('a result whose first record was not confirmed is there once, and does not end a later attempt', async () => {
  const failed = await leased({ state: 'PENDING', status: 500 })
  expect(await completeDeliveries(sql, [failed], now)).toHaveLength(1)
  await owner`update webhooks.deliveries set lease_token = gen_random_uuid(), attempt = 2 where id = ${failed.deliveryId}`
  expect(await completeDeliveries(sql, [failed], now)).toHaveLength(0)
  expect(await stateOf(failed)).toEqual({ state: 'PENDING', attempts: 1 })
})

test('an error that is no failure of a dependency is not tried again', async () => {
  const batch = new CompletionBatch({ sql, clock: Date.now })
  const result = await leased({ status: 2 ** 40 })
  await expect(batch.add(result)).rejects.toThrow('out of range')
  expect(await stateOf(result)).toEqual({ state: 'PENDING', attempts: 0 })
})
