import { afterAll } from 'bun:test'
import type { WebhookDelivery } from '../../proto/http/webhooks/deliveries.ts'
import type { CreatedWebhookEndpoint } from '../../proto/http/webhooks/endpoints.ts'
import { emitAny } from '../kit/bus/outbox/emit.ts'
import { connect } from '../kit/db/client.ts'
import { succeeded } from './client.ts'
import { marketplaceWithWorkers, type TestMarketplace } from './marketplace.ts'
import type { Page } from './people.ts'
import { until } from './until.ts'

export interface ReceivedRequest {
  path: string
  headers: Record<string, string>
  body: string
}

/** A receiver of the endpoints of a test, which answers each request with its status. */
class EndpointReceiver {
  status = 200
  readonly #received: ReceivedRequest[] = []
  readonly #server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const { pathname: path } = new URL(request.url)
      this.#received.push({ path, headers: Object.fromEntries(request.headers), body: await request.text() })
      return new Response(`answer ${this.status}`, { status: this.status })
    },
  })

  constructor() {
    afterAll(() => this.#server.stop(true))
  }

  urlOf = (path: string) => `http://127.0.0.1:${this.#server.port}${path}`

  /** The requests to a path. */
  at = (path: string) => this.#received.filter((one) => one.path === path)
}

export const ENDPOINTS = '/v2.3/webhooks/endpoints'
export const OPERATIONS = '/flows/v1/webhooks'

/** A marketplace with an organization that receives the events of cases. */
export const marketplaceWithWebhooks = async (settings: Record<string, string> = {}) =>
  webhooksOf(await marketplaceWithWorkers(['sourcing', 'webhooks'], { ALLOW_PRIVATE_ADDRESSES: 'true', ...settings }))

/** An organization of a marketplace that receives the events of cases. */
export async function webhooksOf(market: TestMarketplace) {
  const producer = connect(market.db.urlOf('sourcing'), { max: 1, applicationName: 'test-producer' })
  market.db.beforeDrop(() => producer.end({ timeout: 1 }))
  const org = await market.organization(['CONSUMER'])
  const { client } = org.administrator
  const receiver = new EndpointReceiver()
  let created = 0

  /** Creates an endpoint at a path of its own. */
  async function endpoint(more: object = {}): Promise<CreatedWebhookEndpoint & { path: string }> {
    created++
    const path = `/receiver/${created}`
    const body = { url: receiver.urlOf(path), events: ['cases.*'], ...more }
    const { data } = await succeeded(client.post<{ data: CreatedWebhookEndpoint }>(ENDPOINTS, body))
    return { ...data, path }
  }
  const list = async (query: string) =>
    (await client.get<Page<WebhookDelivery>>(`${OPERATIONS}/deliveries?pageSize=50&${query}`)).body.items
  return {
    ...{ market, org, client, receiver, endpoint, list },
    remove: (id: string) => client.send('DELETE', `${ENDPOINTS}/${id}`),
    /** Emits an event of the organization. */
    send: (type: string) =>
      producer.begin((tx) => emitAny(tx, { type, tenantId: org.orgId, subject: 'case_1', data: { caseId: 'case_1' } })),
    /** Waits until an endpoint has deliveries in a state. */
    finished: (endpointId: string, state: string, count = 1) =>
      until(
        async () => {
          const items = await list(`endpointId=${endpointId}&state=${state}`)
          return items.length >= count && items
        },
        { what: `a ${state} delivery` },
      ),
  }
}
