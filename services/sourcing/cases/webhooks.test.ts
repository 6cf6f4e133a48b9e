import { afterAll, expect, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import type { CreatedWebhookEndpoint } from '../../../proto/http/webhooks/endpoints.ts'
import { casesOf, inEvents } from '../../testing/cases.ts'
import { marketplaceWithWorkers, type TestOrganization } from '../../testing/marketplace.ts'
import { rfqParties } from '../../testing/rfqs.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing', 'webhooks'], { ALLOW_PRIVATE_ADDRESSES: 'true' })
const { consumer, maker, rival, draft, buyer } = await rfqParties(market)

const received: { path: string; headers: Record<string, string>; body: string }[] = []
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const { pathname: path } = new URL(request.url)
    received.push({ path, headers: Object.fromEntries(request.headers), body: await request.text() })
    return new Response('ok')
  },
})
afterAll(() => server.stop(true))

/** The secret of a new endpoint of an organization, whose path is the id of the organization. */
async function endpointOf({ orgId, administrator }: TestOrganization): Promise<string> {
  const body = { url: `http://127.0.0.1:${server.port}/${orgId}`, events: ['cases.*'] }
  const answer = await administrator.client.post<{ data: CreatedWebhookEndpoint }>('/v2.3/webhooks/endpoints', body)
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body.data.secret
}

test('an invited manufacturer receives the creation and the closing of its case, signed, and no other case', async () => {
  const secret = await endpointOf(maker)
  await endpointOf(rival)
  const rfqId = await draft({ manufacturerIds: [maker.orgId, rival.orgId] })
  await buyer.act(rfqId, 'publish')
  await until(() => received.length === 2, { what: 'the creation of both cases' })
  await buyer.act(rfqId, 'cancel', { reason: 'Sold.' })
  await until(() => received.length === 4, { what: 'the closing of both cases' })

  const [created, closed] = received
    .filter(({ path }) => path === `/${maker.orgId}`)
    .map(({ headers, body }) => new Webhook(secret).verify(body, headers))
  const [listed] = (await casesOf(maker.administrator.client).list(`?rfqId=${rfqId}`)).body.items
  const own = listed && inEvents(listed)
  expect(created).toMatchObject({
    type: 'cases.created',
    tenant_id: maker.orgId,
    data: {
      case: { id: own?.id, rfqId, state: 'OPEN', partyOrgIds: [maker.orgId, consumer.orgId] },
      cause: { event: 'sourcing.rfq.published', id: rfqId },
    },
  })
  expect(closed).toMatchObject({
    type: 'cases.closed',
    data: { case: own, cause: { event: 'sourcing.rfq.cancelled', id: rfqId } },
  })
})
