import type { Part } from '../../proto/http/sourcing/parts.ts'
import { casesOf, qualityCase } from './cases.ts'
import { ApiClient } from './client.ts'
import { ConstantLoad, type LoadedRequest } from './constant-load.ts'
import type { TestOrganization } from './marketplace.ts'
import type { WebhookReceiver } from './receiver.ts'
import { until } from './until.ts'

const PER_SECOND = 10

/** Reads and writes of all services, whose cases are announced to a webhook receiver. */
export class MarketLoad extends ConstantLoad {
  /** Cases whose creation was answered. */
  readonly cases: ReadonlySet<string>
  /** Parts whose creation was answered. */
  readonly parts: ReadonlySet<string>
  /** Has the newest access token. */
  readonly client: ApiClient

  /** The client of the organization's administrator has a session and points to the marketplace. */
  constructor(
    { administrator, orgId }: TestOrganization,
    url: string,
    more: (client: ApiClient) => Record<string, LoadedRequest> = () => ({}),
    perSecond = PER_SECOND,
  ) {
    const cases = new Set<string>()
    const parts = new Set<string>()
    const client = new ApiClient(url, administrator.client.accessToken)
    const session = new ApiClient(url)
    session.refreshToken = administrator.client.refreshToken
    super(
      {
        'list parts': expecting(200, () => client.get('/v1/parts')),
        'create a part': expecting(200, async () => {
          const answer = await client.post<Part>('/v1/parts', { title: 'Flange' })
          if (answer.status === 200) parts.add(answer.body.id)
          return answer
        }),
        'create a case': expecting(201, async () => {
          const answer = await casesOf(client).create(qualityCase())
          if (answer.status === 201) cases.add(answer.body.id)
          return answer
        }),
        'list materials': expecting(200, () => client.get('/v1/materials')),
        'read the organization': expecting(200, () => client.get(`/v1/orgs/${orgId}`)),
        'change a user': expecting(200, () =>
          client.send('PATCH', `/flows/v1/users/${administrator.userId}`, { body: { givenName: 'Load' } }),
        ),
        'list webhook endpoints': expecting(200, () => client.get('/v2.3/webhooks/endpoints')),
        'read the signing keys': expecting(200, () => client.get('/.well-known/jwks.json')),
        'refresh the session': expecting(200, async () => {
          const answer = await session.post<{ access_token: string; refresh_token: string }>('/v2.3/oauth/token', {
            grant_type: 'refresh_token',
            refresh_token: session.refreshToken,
          })
          if (answer.status === 200) {
            session.refreshToken = answer.body.refresh_token
            client.accessToken = answer.body.access_token
          }
          return answer
        }),
        ...more(client),
      },
      { perSecond },
    )
    this.client = client
    this.cases = cases
    this.parts = parts
  }

  /** Waits until the receiver has the event of every case that was created. */
  async delivered(receiver: WebhookReceiver): Promise<void> {
    const missing = () => {
      const received = new Set(receiver.events.map(({ data }) => data.case?.id))
      return [...this.cases].filter((id) => !received.has(id))
    }
    await until(() => missing().length === 0, { withinMs: 60_000, what: 'delivery of every case' }).catch(() => {
      throw new Error(`no delivery of ${missing().length} of ${this.cases.size} cases: ${missing().slice(0, 5)}`)
    })
  }
}

/** The failure is the answer, if it has another status. */
export const expecting =
  (status: number, send: () => Promise<{ status: number; text: string }>): LoadedRequest =>
  async () => {
    const answer = await send()
    return answer.status === status ? undefined : `${answer.status} ${answer.text.slice(0, 300)}`
  }
