import type { CreatedWebhookEndpoint, WebhookEndpoint } from '../../proto/http/webhooks/endpoints.ts'
import type { ApiClient } from '../../services/testing/client.ts'
import type { Account } from './account.ts'
import { ask, signIn } from './requests.ts'

export const ENDPOINTS_PATH = '/v2.3/webhooks/endpoints'

interface TemporaryEndpoint {
  url: string
  events: string[]
  /** Names the command. */
  description: string
}

/** Creates an endpoint that exists as long as a command runs, and deletes those that `isLeft` of the same command. */
export async function createTemporaryEndpoint(
  client: ApiClient,
  request: TemporaryEndpoint,
  isLeft: (endpoint: WebhookEndpoint) => boolean = () => true,
): Promise<CreatedWebhookEndpoint> {
  const { data: known } = await ask<{ data: WebhookEndpoint[] }>(client, 'GET', ENDPOINTS_PATH)
  for (const left of known.filter((one) => one.description === request.description && isLeft(one))) {
    await ask(client, 'DELETE', `${ENDPOINTS_PATH}/${left.id}`)
  }
  const { data } = await ask<{ data: CreatedWebhookEndpoint }>(client, 'POST', ENDPOINTS_PATH, request)
  return data
}

/** The first session may have expired meanwhile. */
export const deleteEndpoint = async (account: Account, id: string): Promise<void> =>
  ask(await signIn(account), 'DELETE', `${ENDPOINTS_PATH}/${id}`)
