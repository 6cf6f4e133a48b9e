import { expect, test } from 'bun:test'
import type { WebhookEndpointHealth } from '../../../proto/http/webhooks/endpoint-flows.ts'
import { until } from '../../testing/until.ts'
import { ENDPOINTS, marketplaceWithWebhooks, OPERATIONS } from '../../testing/webhooks.ts'

const { market, org, client, receiver, endpoint, list, remove, send, finished } = await marketplaceWithWebhooks()
const { owner } = market.db

const healthOf = async (id: string) => (await client.get<WebhookEndpointHealth>(`${OPERATIONS}/endpoints/${id}`)).body
const sendTest = (id: string) => client.post(`${OPERATIONS}/endpoints/${id}/test`, { type: 'cases.created' })
/** Sends an event that fails, and waits until it counts. */
async function fail(id: string, expected: number): Promise<WebhookEndpointHealth> {
  receiver.status = 500
  await send('cases.created')
  return until(async () => {
    const health = await healthOf(id)
    return health.failures === expected && health
  })
}
/** As if the failures so far had begun earlier. */
const failingFor = (id: string, failures: number, hours: number) => owner`
  update webhooks.endpoints set failures = ${failures}, failing_since = now() - make_interval(hours => ${hours})
  where id = ${id}`

test('an endpoint that was quiet for a week is active after its first failures, however many', async () => {
  const { id } = await endpoint()
  receiver.status = 200
  await send('cases.created')
  await finished(id, 'DELIVERED')
  await owner`
    update webhooks.endpoints set succeeded_at = now() - interval '7 days', created_at = now() - interval '8 days'
    where id = ${id}`
  for (let failures = 1; failures <= 21; failures++) await fail(id, failures)
  const { status, failingSinceTime } = await healthOf(id)
  expect(status).toBe('active')
  expect(Date.now() - Date.parse(failingSinceTime as string)).toBeLessThan(60_000)
  await remove(id)
})

test('20 failures over 72 hours pause an endpoint with the reason; 19, or 71 hours, do not', async () => {
  const { id } = await endpoint()
  await failingFor(id, 18, 72)
  expect(await fail(id, 19)).toMatchObject({ status: 'active' })
  await failingFor(id, 19, 71)
  expect(await fail(id, 20)).toMatchObject({ status: 'active' })
  await failingFor(id, 20, 72)
  const paused = await fail(id, 21)
  expect(paused).toMatchObject({
    status: 'paused',
    pauseReason: `All 21 attempts since ${paused.failingSinceTime} failed, not counting test events.`,
  })
  const told = await owner<{ tenant_id: string; data: string }[]>`
    select tenant_id, data from webhooks.outbox where type = 'webhooks.endpoint.paused' and subject = ${id}`
  expect<object[]>([...told]).toEqual([
    { tenant_id: org.orgId, data: JSON.stringify({ endpointId: id, orgId: org.orgId }) },
  ])
  // The deliveries that wait have no next attempt, and the next event has no delivery.
  expect((await list(`endpointId=${id}&state=PENDING`)).map(({ nextAttemptTime }) => nextAttemptTime)).toEqual(
    Array(3).fill(undefined),
  )
  await send('cases.updated')
  await until(
    async () =>
      (await owner`select from webhooks.events where org_id = ${org.orgId} and type = 'cases.updated'`).length === 1,
  )
  expect(await list(`endpointId=${id}&type=cases.updated`)).toEqual([])
  await client.send('PATCH', `${ENDPOINTS}/${id}`, { body: { status: 'active' } })
  expect(await healthOf(id)).toEqual({ id, status: 'active', failures: 0 })
  expect((await list(`endpointId=${id}&state=PENDING`))[0]?.nextAttemptTime).toEqual(expect.any(String))
  await remove(id)
})

test('a success ends the failures, and the next one begins anew', async () => {
  const { id } = await endpoint()
  await fail(id, 1)
  await failingFor(id, 30, 100)
  receiver.status = 200
  await send('cases.updated')
  const working = await until(async () => {
    const health = await healthOf(id)
    return health.failures === 0 && health
  })
  expect(working).toEqual({ id, status: 'active', failures: 0, lastSuccessTime: expect.any(String) })
  expect(await fail(id, 1)).toMatchObject({ status: 'active', failingSinceTime: expect.any(String) })
  await remove(id)
})

test('test events count neither as failures nor as successes', async () => {
  const { id } = await endpoint()
  await fail(id, 1)
  await failingFor(id, 40, 100)
  const before = await healthOf(id)
  await sendTest(id)
  const attempted = (count: number) =>
    until(
      async () =>
        (
          await owner`
            select from webhooks.attempts a join webhooks.deliveries d on d.id = a.delivery_id
            where d.endpoint_id = ${id} and d.is_test`
        ).length === count,
    )
  await attempted(1)
  receiver.status = 200
  await sendTest(id)
  await attempted(2)
  expect(await healthOf(id)).toEqual(before)
  expect(before).toMatchObject({ status: 'active', failures: 40 })
  await remove(id)
})

test('410 is a failure like any other', async () => {
  const { id } = await endpoint()
  receiver.status = 410
  await send('cases.created')
  const failed = await until(async () => {
    const health = await healthOf(id)
    return health.failures === 1 && health
  })
  expect(failed.status).toBe('active')
  const [delivery] = await list(`endpointId=${id}`)
  expect(delivery).toMatchObject({ state: 'PENDING', nextAttemptTime: expect.any(String) })
  await remove(id)
})

test('/metrics counts the endpoints that were paused automatically', async () => {
  const [failing, paused] = [await endpoint(), await endpoint({ status: 'paused' })]
  await failingFor(failing.id, 19, 72)
  await fail(failing.id, 20)
  const metrics = await (await fetch(`http://127.0.0.1:${market.running.healthPort}/metrics`)).text()
  expect(metrics).toContain('\nmarketplace_webhook_paused_endpoints{component="webhooks"} 1\n')
  await remove(failing.id)
  await remove(paused.id)
})
