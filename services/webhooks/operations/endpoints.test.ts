import { afterAll, describe, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import type { WebhookAttempt, WebhookDelivery } from '../../../proto/http/webhooks/deliveries.ts'
import type { WebhookEndpointHealth } from '../../../proto/http/webhooks/endpoint-operations.ts'
import type { CreatedWebhookEndpoint } from '../../../proto/http/webhooks/endpoints.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import { connect } from '../../kit/db/client.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import type { Page, Problem } from '../../testing/people.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceOf(['sourcing', 'webhooks'], { ALLOW_PRIVATE_ADDRESSES: 'true' })
const { owner } = market.db
const producer = connect(market.db.urlOf('sourcing'), { max: 1, applicationName: 'test-producer' })
market.db.beforeDrop(() => producer.end({ timeout: 1 }))
const org = await market.organization(['CONSUMER'])
const { client } = org.administrator

const received: { path: string; headers: Record<string, string>; body: string }[] = []
let status = 200
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const { pathname: path } = new URL(request.url)
    received.push({ path, headers: Object.fromEntries(request.headers), body: await request.text() })
    return new Response(`answer ${status}`, { status })
  },
})
afterAll(() => server.stop(true))

const ENDPOINTS = '/v2.3/webhooks/endpoints'
const OURS = '/flows/v1/webhooks'
let made = 0
async function endpoint(more: object = {}): Promise<CreatedWebhookEndpoint & { path: string }> {
  made++
  const path = `/receiver/${made}`
  const body = { url: `http://127.0.0.1:${server.port}${path}`, events: ['cases.*'], ...more }
  const answer = await client.post<{ data: CreatedWebhookEndpoint }>(ENDPOINTS, body)
  if (answer.status !== 201) throw new Error(answer.text)
  return { ...answer.body.data, path }
}
const remove = (id: string) => client.send('DELETE', `${ENDPOINTS}/${id}`)
const at = (path: string) => received.filter((one) => one.path === path)
const send = (type: string) =>
  producer.begin((tx) => emit(tx, { type, tenantId: org.orgId, subject: 'case_1', data: { caseId: 'case_1' } }))
const list = async (query: string) =>
  (await client.get<Page<WebhookDelivery>>(`${OURS}/deliveries?pageSize=50&${query}`)).body.items
const finished = (endpointId: string, state: string, count = 1) =>
  until(
    async () => {
      const items = await list(`endpointId=${endpointId}&state=${state}`)
      return items.length >= count && items
    },
    { what: `a ${state} delivery` },
  )

describe('an endpoint', () => {
  test('gets the events of a period again with the same ids, also those that it missed while it was paused', async () => {
    const { id, path } = await endpoint()
    const from = new Date().toISOString()
    await send('cases.created')
    await finished(id, 'DELIVERED')
    await client.send('PATCH', `${ENDPOINTS}/${id}`, { body: { status: 'paused' } })
    await send('cases.closed')
    await send('assignments.created')
    await until(
      async () =>
        (
          await owner`
      select from webhooks.events where org_id = ${org.orgId} and type = 'assignments.created'`
        ).length === 1,
    )
    await client.send('PATCH', `${ENDPOINTS}/${id}`, { body: { status: 'active' } })
    const period = { from, to: new Date(Date.now() + 1000).toISOString() }
    const answer = await client.post<{ deliveries: number }>(`${OURS}/endpoints/${id}/replay`, period)
    expect([answer.status, answer.body]).toEqual([200, { deliveries: 2 }])
    const items = await finished(id, 'DELIVERED', 3)
    expect(items.map(({ type, replay }) => `${type} ${replay}`).sort()).toEqual([
      'cases.closed 0',
      'cases.created 0',
      'cases.created 1',
    ])
    const bodies = at(path).map(({ body }) => JSON.parse(body) as { id: string; type: string })
    expect(new Set(bodies.map((body) => body.id)).size).toBe(2)
    const reversed = await client.post<Problem>(`${OURS}/endpoints/${id}/replay`, { from: period.to, to: from })
    expect([reversed.status, reversed.body.errors?.[0]?.field]).toEqual([400, 'to'])
    await remove(id)
  })

  test('gets a test event alone, whatever it subscribes to, and no replay sends it to others', async () => {
    const [tested, other] = [await endpoint({ events: ['assignments.*'] }), await endpoint()]
    const from = new Date().toISOString()
    const answer = await client.post<WebhookDelivery>(`${OURS}/endpoints/${tested.id}/test`, { type: 'cases.created' })
    expect([answer.status, answer.body.type, answer.body.state]).toEqual([200, 'cases.created', 'PENDING'])
    const [{ headers, body }] = (await until(() => at(tested.path).length === 1 && at(tested.path))) as [
      (typeof received)[0],
    ]
    expect(new Webhook(tested.secret).verify(body, headers)).toMatchObject({
      type: 'cases.created',
      data: { test: true },
    })
    const period = { from, to: new Date(Date.now() + 1000).toISOString() }
    const replay = await client.post<{ deliveries: number }>(`${OURS}/endpoints/${other.id}/replay`, period)
    expect(replay.body).toEqual({ deliveries: 0 })
    expect((await client.post<Problem>(`${OURS}/endpoints/${other.id}/test`, { type: 'cases.*' })).status).toBe(400)
    for (const { id } of [tested, other]) await remove(id)
  })

  test('whose secret is rotated is signed with both secrets for 24 hours, then with the new one', async () => {
    const { id, path, secret: previous } = await endpoint()
    const rotated = await client.post<{ secret: string; previousSecretExpireTime: string }>(
      `${OURS}/endpoints/${id}/rotate-secret`,
    )
    const { secret, previousSecretExpireTime } = rotated.body
    expect([rotated.status, rotated.headers.get('cache-control')]).toEqual([200, 'no-store'])
    const inMs = Date.parse(previousSecretExpireTime) - Date.now()
    expect([inMs > 86_300_000, inMs <= 86_400_000]).toEqual([true, true])
    await send('cases.created')
    const [first] = (await until(() => at(path).length === 1 && at(path))) as [(typeof received)[0]]
    for (const known of [secret, previous]) new Webhook(known).verify(first.body, first.headers)
    await owner`update webhooks.endpoints set previous_secrets_until = now() where id = ${id}`
    await send('cases.closed')
    const [, second] = (await until(() => at(path).length === 2 && at(path))) as (typeof received)[0][]
    expect(second).toBeDefined()
    new Webhook(secret).verify(second?.body as string, second?.headers as Record<string, string>)
    expect(() =>
      new Webhook(previous).verify(second?.body as string, second?.headers as Record<string, string>),
    ).toThrow()
    await remove(id)
  })

  test('whose secret is rotated again within 24 hours is signed with the earlier secrets, too', async () => {
    const { id, path, secret: first } = await endpoint()
    const rotate = async () =>
      (await client.post<{ secret: string }>(`${OURS}/endpoints/${id}/rotate-secret`)).body.secret
    const secrets = [first, await rotate(), await rotate()]
    await send('cases.created')
    const [both] = (await until(() => at(path).length === 1 && at(path))) as [(typeof received)[0]]
    for (const secret of secrets) new Webhook(secret).verify(both.body, both.headers)
    for (const _ of [1, 2]) secrets.push(await rotate())
    await send('cases.closed')
    const [, last] = (await until(() => at(path).length === 2 && at(path))) as (typeof received)[0][]
    const verifies = (secret: string) => {
      try {
        return Boolean(new Webhook(secret).verify(last?.body ?? '', last?.headers ?? {}))
      } catch {
        return false
      }
    }
    expect(secrets.map(verifies)).toEqual([false, true, true, true, true])
    await remove(id)
  })

  test('replays of the same period at the same time each send every event', async () => {
    const { id, path } = await endpoint()
    const from = new Date(Date.now() - 1000).toISOString()
    await send('cases.created')
    await until(() => at(path).length === 1)
    const to = new Date(Date.now() + 1000).toISOString()
    const replays = await Promise.all(
      Array.from({ length: 10 }, () =>
        client.post<{ deliveries: number }>(`${OURS}/endpoints/${id}/replay`, { from, to }),
      ),
    )
    const counts = new Set(replays.map(({ body }) => body.deliveries))
    expect(counts.size).toBe(1)
    expect([...counts][0]).toBeGreaterThanOrEqual(1)
    const sent = replays.length * ([...counts][0] ?? 0)
    await until(() => at(path).length === 1 + sent, { what: 'all replays' })
    await remove(id)
  })

  test('whose delivery is retried by hand keeps the attempts of its schedule', async () => {
    const { id } = await endpoint()
    status = 500
    const { body: delivery } = await client.post<WebhookDelivery>(`${OURS}/endpoints/${id}/test`, {
      type: 'cases.created',
    })
    const state = async () => (await client.get<WebhookDelivery>(`${OURS}/deliveries/${delivery.id}`)).body
    for (let attempts = 1; attempts <= 14; attempts++) {
      await until(async () => {
        const { items } = (await client.get<Page<WebhookAttempt>>(`${OURS}/deliveries/${delivery.id}/attempts`)).body
        return items[0]?.number === attempts
      })
      expect(await state()).toMatchObject({ state: 'PENDING', attempts })
      await client.post(`${OURS}/deliveries/${delivery.id}/retry`)
    }
    status = 200
    await client.post(`${OURS}/deliveries/${delivery.id}/retry`)
    await until(async () => (await state()).state === 'DELIVERED')
    await remove(id)
  })

  test('shows its failures and the reason of its pause, which an activation clears', async () => {
    const { id } = await endpoint()
    const health = async () => (await client.get<WebhookEndpointHealth>(`${OURS}/endpoints/${id}`)).body
    expect(await health()).toEqual({ id, status: 'active', failures: 0, lastSuccessTime: expect.any(String) })
    status = 410
    await send('cases.created')
    await until(async () => (await health()).status === 'paused', { what: 'the pause' })
    status = 200
    expect(await health()).toMatchObject({ failures: 1, pauseReason: 'The receiver answered 410 Gone.' })
    await client.send('PATCH', `${ENDPOINTS}/${id}`, { body: { status: 'active' } })
    expect(await health()).toEqual({ id, status: 'active', failures: 0, lastSuccessTime: expect.any(String) })
    await remove(id)
  })
})
