import type { CreatedWebhookEndpoint } from '../../../proto/http/webhooks/endpoints.ts'
import { MAX_ENDPOINTS } from '../../../proto/http/webhooks/endpoints.ts'
import type { Pool } from '../../../services/kit/db/client.ts'
import { type ApiClient, succeeded } from '../../../services/testing/client.ts'
import type { TestDatabase } from '../../../services/testing/database.ts'
import { createFixtures } from '../../../services/testing/marketplace.ts'
import { signInByCommands } from '../../../services/testing/sign-in.ts'
import type { Addresses, Receiver, Run } from './programs.ts'

const PATH = '/v2.3/webhooks/endpoints'

export interface Endpoint {
  /** The path of its URL. */
  number: number
  id: string
  orgId: string
  /** Of the organization's administrator. */
  client: ApiClient
}

interface CreateOptions extends Addresses {
  owner: Pool
  /** Of a replica of the webhooks service. */
  url: string
  receiver: Receiver
  run: Run
}

/** Registers endpoints over HTTP: as many for an organization as it may have. */
export async function createEndpoints(
  count: number,
  { postgres, encryptionKeys, owner, url, receiver, run }: CreateOptions,
): Promise<Endpoint[]> {
  const db: TestDatabase = {
    name: 'postgres',
    ownerUrl: postgres.ownerUrl,
    owner,
    urlOf: postgres.urlOf,
    beforeDrop: (close) => run.onStop(async () => void (await close())),
  }
  const config = { ENCRYPTION_KEYS: encryptionKeys, PUBLIC_URL: 'http://localhost:8080', ACCESS_TOKEN_SECONDS: 3600 }
  const { signInInvited } = await signInByCommands(db, { url, config, clock: Date.now })
  const fixtures = await createFixtures(db, signInInvited)
  const endpoints: Endpoint[] = []
  for (let number = 0; number < count; ) {
    const { orgId, administrator } = await fixtures.organization(['CONSUMER'])
    for (let of = 0; of < MAX_ENDPOINTS && number < count; of++, number++) {
      const { client } = administrator
      const body = { url: receiver.urlOf(number), events: ['cases.*'] }
      const { data } = await succeeded(client.post<{ data: CreatedWebhookEndpoint }>(PATH, body))
      endpoints.push({ number, id: data.id, orgId, client })
    }
  }
  return endpoints
}

/** Pauses or activates an endpoint. Returns the time of the answer. */
export const setStatus = (endpoint: Endpoint, status: 'active' | 'paused', url: string) =>
  answered(endpoint, url, 'PATCH', { status })

/** Deletes an endpoint. Returns the time of the answer. */
export const deleteEndpoint = (endpoint: Endpoint, url: string) => answered(endpoint, url, 'DELETE')

async function answered({ client, id }: Endpoint, url: string, method: string, body?: object): Promise<number> {
  client.url = url
  await succeeded(client.send(method, `${PATH}/${id}`, { body }))
  return Date.now()
}
