import { expect, setDefaultTimeout, test } from 'bun:test'
import type { WebhookDelivery } from '../../../proto/http/webhooks/deliveries.ts'
import type { WebhookEndpoint } from '../../../proto/http/webhooks/endpoints.ts'
import { connect } from '../../kit/db/client.ts'
import { RACING } from '../../testing/marketplace.ts'
import type { Page } from '../../testing/people.ts'
import { startService, stopService } from '../../testing/processes.ts'
import { until } from '../../testing/until.ts'
import { ENDPOINTS, marketplaceWithWebhooks, OPERATIONS } from '../../testing/webhooks.ts'
import { failAbandonedDeliveries } from '../deliveries/cleanup.ts'

setDefaultTimeout(180_000)
const { market, org, client, receiver, endpoint, remove } = await marketplaceWithWebhooks(RACING)
const { owner } = market.db
const cleaning = connect(market.db.urlOf('webhooks'), { max: 1, applicationName: 'test-cleanup' })
market.db.beforeDrop(() => cleaning.end({ timeout: 1 }))
/** A replica of the service in a process of its own works beside that of the test. */
const replica = await startService('webhooks', market.db, undefined, { ALLOW_PRIVATE_ADDRESSES: 'true' })

const EVENTS = 300
const COMMANDS = 1200
const AT_ONCE = 12
const from = new Date(Date.now() - 3_600_000).toISOString()
const period = { from, to: new Date(Date.parse(from) + 60_000).toISOString() }
await owner`
  insert into webhooks.events (id, timestamp, org_id, type, body)
  select 'evt_' || gen_random_uuid(), ${from}::timestamptz + number * interval '1 millisecond', ${org.orgId},
    'cases.archived', '{}'
  from generate_series(1, ${EVENTS}::integer) number`

/** A multiplicative congruential generator, so that every run sends the same commands. */
let seed = 20_261_123
const chance = (below: number) => {
  seed = (seed * 48_271) % 2_147_483_647
  return seed % below
}
const oneOf = <T>(items: readonly T[]): T => items[chance(items.length)] as T
const setStatus = (id: string, status: string) => client.send('PATCH', `${ENDPOINTS}/${id}`, { body: { status } })

test('concurrent changes, deletions, replays, retries and tests cause no 5xx, and each replay creates each delivery once', async () => {
  const ids = await Promise.all(Array.from({ length: 6 }, async () => (await endpoint()).id))
  const commands: (() => Promise<{ status: number; text: string }>)[] = [
    () => setStatus(oneOf(ids), 'paused'),
    () => setStatus(oneOf(ids), 'active'),
    () => setStatus(oneOf(ids), 'active'),
    () =>
      client.send('PATCH', `${ENDPOINTS}/${oneOf(ids)}`, {
        body: { events: oneOf([['cases.*'], ['cases.archived']]) },
      }),
    () => client.post(`${OPERATIONS}/endpoints/${oneOf(ids)}/rotate-secret`),
    () => client.post(`${OPERATIONS}/endpoints/${oneOf(ids)}/replay`, period),
    () => client.post(`${OPERATIONS}/endpoints/${oneOf(ids)}/replay`, period),
    () => client.post(`${OPERATIONS}/endpoints/${oneOf(ids)}/test`, { type: 'cases.created' }),
    async () => {
      const { body } = await client.get<Page<WebhookDelivery>>(`${OPERATIONS}/deliveries?endpointId=${oneOf(ids)}`)
      return client.post(`${OPERATIONS}/deliveries/${oneOf(body.items)?.id ?? 'dlv_none'}/retry`)
    },
    async () => {
      const index = chance(ids.length)
      const answer = await remove(ids[index] as string)
      if (answer.status === 204) ids[index] = (await endpoint()).id
      return answer
    },
    async () => {
      receiver.status = oneOf([200, 200, 200, 500])
      return client.get(`${OPERATIONS}/deliveries?state=${oneOf(['PENDING', 'DELIVERED', 'FAILED'])}`)
    },
  ]
  const answers: { status: number; text: string }[] = []
  let left = COMMANDS
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) answers.push(await oneOf(commands)())
    }),
  )
  expect(answers.filter(({ status }) => status >= 500).map(({ text }) => text)).toEqual([])
  for (const status of [200, 204, 404, 409]) {
    expect([status, answers.some((answer) => answer.status === status)]).toEqual([status, true])
  }

  const [{ deadlocks } = { deadlocks: -1 }] = await owner<{ deadlocks: number }[]>`
    select deadlocks::integer from pg_stat_database where datname = current_database()`
  expect(deadlocks).toBe(0)
  receiver.status = 200
  const all = (await client.get<{ data: WebhookEndpoint[] }>(ENDPOINTS)).body.data
  for (const { id } of all) {
    await client.send('PATCH', `${ENDPOINTS}/${id}`, { body: { status: 'active', events: ['cases.*'] } })
  }
  /** Without the pauses of endpoints that failed. */
  const unfinished = async () => {
    await owner`update webhooks.endpoints set failures = 0, failing_since = null where failures > 0`
    await owner`
      update webhooks.jobs set due_at = now() where due_at > now() + interval '1 second'`
    return (await owner`select from webhooks.replays where finished_at is null`).length
  }
  await until(async () => (await unfinished()) === 0, { withinMs: 60_000, what: 'the end of the replays' })
  for (const { id } of all) expect((await client.post(`${OPERATIONS}/endpoints/${id}/replay`, period)).status).toBe(200)
  await until(async () => (await unfinished()) === 0, { withinMs: 60_000, what: 'the end of the last replays' })
  const counted = await owner<{ deliveries: number; created: number; events: number }[]>`
    select r.deliveries, count(d.id)::integer as created, count(distinct d.event_id)::integer as events
    from webhooks.replays r
    join webhooks.deliveries d on d.endpoint_id = r.endpoint_id and d.replay > 0 and d.created_at >= r.created_at
    group by r.endpoint_id, r.deliveries`
  expect([...counted]).toEqual(all.map(() => ({ deliveries: EVENTS, created: EVENTS, events: EVENTS })))

  // Failed deliveries wait for their next attempt.
  await owner`update webhooks.deliveries set next_attempt_at = now() where state = 'PENDING'`
  const pending = async () => {
    // The clean-up of each minute, for those that were locked when their endpoint was deleted.
    await failAbandonedDeliveries(cleaning, new Date().toISOString(), new AbortController().signal)
    return (await owner`select from webhooks.deliveries where state = 'PENDING'`).length
  }
  await until(async () => (await pending()) === 0, { withinMs: 60_000, what: 'every delivery' })
  expect(await stopService(replica, 'SIGTERM')).toBe(0)
})
