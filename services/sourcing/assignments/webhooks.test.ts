import { afterAll, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import type { CreatedWebhookEndpoint } from '../../../proto/http/webhooks/endpoints.ts'
import { assignmentOf, assignmentsOf } from '../../testing/assignments.ts'
import { awardParties, awardsOf } from '../../testing/awards.ts'
import { marketplaceWithWorkers, type TestOrganization } from '../../testing/marketplace.ts'
import { ordersOf } from '../../testing/orders.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing', 'webhooks'], { ALLOW_PRIVATE_ADDRESSES: 'true' })
const { consumer, maker, rival, open, offer, ordersOfRfq } = await awardParties(market)

interface Received {
  headers: Record<string, string>
  body: string
}

/** An endpoint of the organization for all events about assignments, and what it has received. */
async function endpointOf({ administrator }: TestOrganization) {
  const received: Received[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      received.push({ headers: Object.fromEntries(request.headers), body: await request.text() })
      return new Response('ok')
    },
  })
  afterAll(() => server.stop(true))
  const answer = await administrator.client.post<{ data: CreatedWebhookEndpoint }>('/v2.3/webhooks/endpoints', {
    url: `http://127.0.0.1:${server.port}/`,
    events: ['assignments.*'],
  })
  if (answer.status !== 201) throw new Error(answer.text)
  return { received, secret: answer.body.data.secret }
}

test('an award and the steps of its order reach the endpoint of the manufacturer, signed, and not that of its rival', async () => {
  const { received, secret } = await endpointOf(maker)
  const others = await endpointOf(rival)
  const rfqId = await open()
  const awards = [{ offerId: await offer(rfqId, maker), quantity: 10 }]
  expect((await awardsOf(consumer.administrator.client).award(rfqId, { awards })).status).toBe(200)
  const orderId = (await ordersOfRfq(rfqId))[0]?.id as string
  const assignmentId = await assignmentOf(market.db.owner, orderId)
  const assignment = (await assignmentsOf(maker.administrator.client).read(assignmentId)).body

  const created = await until(() => received[0], { what: 'the delivery of assignments.created' })
  expect(new Webhook(secret).verify(created.body, created.headers)).toEqual({
    id: created.headers['webhook-id'],
    type: 'assignments.created',
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    tenant_id: maker.orgId,
    data: { assignment, cause: { event: 'sourcing.order.placed', id: orderId } },
  })

  await ordersOf(maker.administrator.client).act(orderId, 'confirm')
  const confirmed = await until(() => received[1], { what: 'the delivery of assignments.status.updated' })
  expect(new Webhook(secret).verify(confirmed.body, confirmed.headers)).toMatchObject({
    type: 'assignments.status.updated',
    data: { assignment: { id: assignmentId, status: 'CONFIRMED' } },
  })

  // A later event of the rival arrives, so that an earlier one would have arrived too.
  const second = await open()
  const lost = [{ offerId: await offer(second, rival), quantity: 10 }]
  expect((await awardsOf(consumer.administrator.client).award(second, { awards: lost })).status).toBe(200)
  await until(() => others.received[0], { what: 'the delivery to the rival' })
  expect(others.received.every(({ body }) => !body.includes(assignmentId))).toBe(true)
  expect(received).toHaveLength(2)
})
