import { afterAll, describe, expect, test } from 'bun:test'
import type { WebhookAttempt, WebhookDelivery } from '../../../proto/http/webhooks/deliveries.ts'
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
const stranger = await market.organization(['CONSUMER'])
const member = await org.member('Buyer')
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

describe('deliveries', () => {
  test('are listed newest first with each filter, and have their attempts', async () => {
    const { id, path } = await endpoint()
    const before = new Date().toISOString()
    await send('cases.created')
    await finished(id, 'DELIVERED')
    await send('cases.closed')
    const items = await finished(id, 'DELIVERED', 2)
    const after = new Date(Date.now() + 1).toISOString()
    expect(items.map(({ type, state, attempts, replay }) => [type, state, attempts, replay])).toEqual([
      ['cases.closed', 'DELIVERED', 1, 0],
      ['cases.created', 'DELIVERED', 1, 0],
    ])
    const [newest, oldest] = items as [WebhookDelivery, WebhookDelivery]
    expect(newest.eventId).toBe(at(path)[1]?.headers['webhook-id'] as string)
    for (const [query, expected] of [
      [`endpointId=${id}&type=cases.closed`, [newest]],
      [`endpointId=${id}&state=PENDING`, []],
      [`endpointId=${id}&state=FAILED`, []],
      [`endpointId=${id}&from=${before}&to=${after}`, items],
      [`endpointId=${id}&from=${after}`, []],
      [`endpointId=${id}&to=${before}`, []],
      ['endpointId=wh_00000000000000000000000000', []],
    ] as const) {
      expect([query, await list(query)]).toEqual([query, [...expected]])
    }
    expect((await client.get(`${OURS}/deliveries/${oldest.id}`)).body).toEqual(oldest as never)
    const attempts = await client.get<Page<WebhookAttempt>>(`${OURS}/deliveries/${oldest.id}/attempts`)
    expect(attempts.body).toEqual({
      items: [
        {
          number: 1,
          startedTime: expect.any(String),
          durationMs: expect.any(Number),
          status: 200,
          response: 'answer 200',
        },
      ],
      hasMore: false,
    })
    await remove(id)
  })

  test('an undeclared type or state is 400, and pages continue one another', async () => {
    for (const query of ['type=cases.exploded', 'state=SENT', 'from=yesterday']) {
      expect((await client.get<Problem>(`${OURS}/deliveries?${query}`)).status).toBe(400)
    }
    const { id } = await endpoint()
    for (const type of ['cases.created', 'cases.updated', 'cases.closed']) await send(type)
    const all = await finished(id, 'DELIVERED', 3)
    const pages = []
    for (const page of [1, 2, 3]) {
      const query = `endpointId=${id}&pageSize=1&page=${page}`
      pages.push((await client.get<Page<WebhookDelivery>>(`${OURS}/deliveries?${query}`)).body.items)
    }
    expect(pages.flat().map((one) => one.id)).toEqual(all.map((one) => one.id))
    await remove(id)
  })

  test('a FAILED one is retried once more; a DELIVERED one and one of a deleted endpoint are 409', async () => {
    const { id, path } = await endpoint()
    status = 500
    await send('cases.created')
    await until(() => at(path).length === 1, { what: 'the first attempt' })
    await until(
      async () =>
        (
          await owner`select from webhooks.attempts a join webhooks.deliveries d on d.id = delivery_id
        where endpoint_id = ${id}`
        ).length === 1,
    )
    const [{ id: deliveryId }] = (await list(`endpointId=${id}`)) as [WebhookDelivery]
    await owner`update webhooks.deliveries set attempt = 12, state = 'FAILED', finished_at = now() where id = ${deliveryId}`
    status = 200
    const retry = () => client.post<WebhookDelivery & Problem>(`${OURS}/deliveries/${deliveryId}/retry`)
    const retried = await retry()
    expect([retried.status, retried.body.state, retried.body.finishedTime]).toEqual([200, 'PENDING', undefined])
    await finished(id, 'DELIVERED')
    expect(at(path)).toHaveLength(2)
    expect((await retry()).body.code).toBe('illegal_transition')
    await remove(id)
    await owner`update webhooks.deliveries set state = 'FAILED' where id = ${deliveryId}`
    expect((await retry()).body.code).toBe('illegal_transition')
  })
})

describe('every operation', () => {
  test("another organization's delivery and endpoint are 404, and a caller without webhook:manage is 403", async () => {
    const { id } = await endpoint()
    const delivery = await client.post<WebhookDelivery>(`${OURS}/endpoints/${id}/test`, { type: 'cases.created' })
    const calls = [
      ['GET', `/deliveries/${delivery.body.id}`],
      ['GET', `/deliveries/${delivery.body.id}/attempts`],
      ['POST', `/deliveries/${delivery.body.id}/retry`],
      ['GET', `/endpoints/${id}`],
      ['POST', `/endpoints/${id}/replay`, { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }],
      ['POST', `/endpoints/${id}/test`, { type: 'cases.created' }],
      ['POST', `/endpoints/${id}/rotate-secret`],
    ] as const
    for (const [method, path, body] of calls) {
      const foreign = await stranger.administrator.client.send<Problem>(method, `${OURS}${path}`, { body })
      const forbidden = await member.client.send<Problem>(method, `${OURS}${path}`, { body })
      expect([path, foreign.status, forbidden.status]).toEqual([path, 404, 403])
    }
    const { body } = await stranger.administrator.client.get<Page<WebhookDelivery>>(`${OURS}/deliveries`)
    expect(body.items).toEqual([])
    await remove(id)
  })
})
