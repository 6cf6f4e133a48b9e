import { afterAll } from 'bun:test'
import type { CreatedWebhookEndpoint } from '../../proto/http/webhooks/endpoints.ts'
import { type ApiClient, succeeded } from './client.ts'

/** An event of a case. */
interface ReceivedEvent {
  id: string
  type: string
  /** Without a case in a test event. */
  data: { case?: { id: string } }
}

/** A receiver of the events of cases that answers 200 and keeps what it received. */
export class WebhookReceiver {
  readonly events: ReceivedEvent[] = []
  readonly #server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      this.events.push((await request.json()) as ReceivedEvent)
      return new Response('ok')
    },
  })

  constructor() {
    afterAll(() => this.#server.stop(true))
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/`
  }

  /** Creates an endpoint for these events. */
  async subscribe(client: ApiClient, events: readonly string[]): Promise<CreatedWebhookEndpoint> {
    const body = { url: this.url, events }
    return (await succeeded(client.post<{ data: CreatedWebhookEndpoint }>('/v2.3/webhooks/endpoints', body))).data
  }
}
