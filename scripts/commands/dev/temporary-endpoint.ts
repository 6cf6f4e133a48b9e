import type {
  CreatedWebhookEndpoint,
  Marketplace,
  WebhookEndpoint,
  WebhookEndpointInput,
} from '../../../proto/clients/typescript/src/index.ts'

type TemporaryEndpoint = Pick<WebhookEndpointInput, 'url' | 'events'> & {
  /** Names the command. */
  description: string
}

/** Creates an endpoint that exists as long as a command runs, and deletes those that `isLeft` of the same command. */
export async function createTemporaryEndpoint(
  client: Marketplace,
  request: TemporaryEndpoint,
  isLeft: (endpoint: WebhookEndpoint) => boolean = () => true,
): Promise<CreatedWebhookEndpoint> {
  const { data: known } = await client.GET('/v2.3/webhooks/endpoints')
  for (const left of known.data.filter((one) => one.description === request.description && isLeft(one))) {
    await deleteEndpoint(client, left.id)
  }
  const { data: created } = await client.POST('/v2.3/webhooks/endpoints', { body: request })
  return created.data
}

export async function deleteEndpoint(client: Marketplace, webhookId: string): Promise<void> {
  await client.DELETE('/v2.3/webhooks/endpoints/{webhookId}', { params: { path: { webhookId } } })
}
