import { afterAll, expect, test } from 'bun:test'
import type { WebhookDelivery } from '../../../proto/http/webhooks/deliveries.ts'
import type { WebhookEndpointHealth } from '../../../proto/http/webhooks/endpoint-flows.ts'
import { until } from '../../testing/until.ts'
import { ENDPOINTS, marketplaceWithWebhooks, OPERATIONS } from '../../testing/webhooks.ts'

const { market, client, endpoint, send, list, remove, finished } = await marketplaceWithWebhooks()
const { owner } = market.db

/** A receiver whose answers wait until the test gives them, in the order of their requests. */
function heldReceiver() {
  const waiting: ((status: number) => void)[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch() {
      const { promise, resolve } = Promise.withResolvers<number>()
      waiting.push(resolve)
      return promise.then((status) => new Response('', { status }))
    },
  })
  afterAll(() => server.stop(true))
  return { url: `http://127.0.0.1:${server.port}/`, waiting }
}

/** Of one endpoint alone among the 128 slots of a replica in a test. */
const SLOTS = 10

const attemptsOf = (endpointId: string) => owner<{ number: number; status: number }[]>`
  select a.number, a.status from webhooks.attempts a join webhooks.deliveries d on d.id = a.delivery_id
  where d.endpoint_id = ${endpointId} order by a.number`

test('a result that comes after the lease has expired does not overwrite that of the later attempt', async () => {
  const { url, waiting } = heldReceiver()
  const { id } = await endpoint({ url })
  await send('cases.created')
  await until(() => waiting.length === 1, { what: 'the first attempt' })
  expect(await list(`endpointId=${id}`)).toMatchObject([{ state: 'PENDING', attempts: 1 }])
  await owner`update webhooks.deliveries set lease_until = now() where endpoint_id = ${id}`
  await until(() => waiting.length === 2, { what: 'the second attempt' })
  waiting[1]?.(200)
  const [delivered] = await finished(id, 'DELIVERED')
  waiting[0]?.(500)
  await until(async () => (await attemptsOf(id)).length === 2, { what: 'both results' })
  expect([...(await attemptsOf(id))]).toEqual([
    { number: 1, status: 500 },
    { number: 2, status: 200 },
  ])
  expect(await list(`endpointId=${id}`)).toEqual([delivered as WebhookDelivery])
  const { body } = await client.get<WebhookEndpointHealth>(`${OPERATIONS}/endpoints/${id}`)
  expect(body.failures).toBe(0)
  await remove(id)
})

test('an attempt that was killed does not count against the schedule', async () => {
  const { url, waiting } = heldReceiver()
  const { id } = await endpoint({ url })
  await send('cases.created')
  await until(() => waiting.length === 1, { what: 'the attempt that is killed' })
  await owner`
    update webhooks.deliveries set lease_until = now(), lease_token = gen_random_uuid() where endpoint_id = ${id}`
  await until(() => waiting.length === 2, { what: 'the attempt in its place' })
  waiting[1]?.(500)
  await until(async () => (await attemptsOf(id)).length === 1, { what: 'its result' })
  expect([...(await attemptsOf(id))]).toEqual([{ number: 2, status: 500 }])
  const [{ pause }] = await owner<[{ pause: number }]>`
    select extract(epoch from d.next_attempt_at - a.timestamp)::float as pause
    from webhooks.deliveries d join webhooks.attempts a on a.delivery_id = d.id where d.endpoint_id = ${id}`
  // The pause after the first attempt is 5 s, and after the second one 30 s.
  expect(pause).toBeWithin(4, 10)
  waiting[0]?.(200)
  await remove(id)
})

test('a leased delivery is not sent again', async () => {
  const { url, waiting } = heldReceiver()
  const { id } = await endpoint({ url })
  await send('cases.created')
  await until(() => waiting.length === 1, { what: 'the attempt' })
  await send('cases.updated')
  await until(() => waiting.length === 2, { what: 'that of a later event' })
  for (const answer of waiting) answer(200)
  expect((await finished(id, 'DELIVERED', 2)).map(({ attempts }) => attempts)).toEqual([1, 1])
  await remove(id)
})

test.each([
  ['paused', (id: string) => client.send('PATCH', `${ENDPOINTS}/${id}`, { body: { status: 'paused' } })],
  ['deleted', (id: string) => client.send('DELETE', `${ENDPOINTS}/${id}`)],
])('once an endpoint is %s no delivery starts, although more are due than were claimed', async (_, stop) => {
  const { url, waiting } = heldReceiver()
  const { id } = await endpoint({ url })
  await owner`update webhooks.endpoints set succeeded_at = now() where id = ${id}`
  await send('cases.created')
  await until(() => waiting.length === 1, { what: 'the first delivery' })
  await owner`
    insert into webhooks.deliveries (
      id, org_id, endpoint_id, event_id, event_time, type, replay, next_attempt_at, created_at)
    select 'dlv_' || gen_random_uuid(), org_id, endpoint_id, event_id, event_time, type, number, next_attempt_at, created_at
    from webhooks.deliveries, generate_series(1, 200) number where endpoint_id = ${id}`
  await until(() => waiting.length === SLOTS, { what: 'as many requests as one endpoint may have' })
  expect((await stop(id)).status).toBeLessThan(300)
  // The dispatcher knows that more are due, and has free slots from now on.
  for (const answer of waiting) answer(200)
  await until(async () => (await attemptsOf(id)).length === SLOTS, { what: 'the results' })
  const other = heldReceiver()
  const later = await endpoint({ url: other.url })
  await send('cases.closed')
  await until(() => other.waiting.length === 1, { what: 'the delivery to another endpoint' })
  other.waiting[0]?.(200)
  expect(waiting).toHaveLength(SLOTS)
  await remove(later.id)
})
