import { type Static, Type } from '@sinclair/typebox'
import { ENDPOINT_STATUSES } from '../../states/endpoints.ts'
import { WEBHOOK_SUBSCRIPTIONS } from '../../webhook-events.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, DateTime, FORM, Line, OneOf, pathParam, Text, URL_FORM, URL_PATTERN } from '../shapes.ts'

const endpointsTag = defineTag(
  'Webhook endpoints',
  'URLs of your organization that receive events about cases and assignments, signed as in Standard Webhooks.',
)
const EXAMPLE_ID = 'wh_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_URL = 'https://erp.example.com/hooks/marketplace'

/** Maximum number of webhook endpoints of an organization. */
export const MAX_ENDPOINTS = 20
export const MAX_URL_CHARACTERS = 2048

const url = Line(MAX_URL_CHARACTERS, {
  pattern: URL_PATTERN,
  [FORM]: URL_FORM,
  description:
    'URL that receives the events by POST: `https`, a public address, no credentials, no fragment. A name is resolved and ' +
    'checked at each attempt.',
  examples: [EXAMPLE_URL],
})
const subscription = OneOf(WEBHOOK_SUBSCRIPTIONS, {
  description: 'Event type, or a wildcard in which `*` stands for one or more words.',
  examples: ['cases.*'],
})
const events = Type.Array(subscription, {
  minItems: 1,
  maxItems: 50,
  description: 'Subscribed event types and wildcards; duplicates are removed.',
  examples: [['cases.*', 'assignments.status.updated']],
})
const description = Text(10_000, {
  description: 'Label of the endpoint; an empty one clears it.',
  examples: ['Orders into the ERP'],
})
const status = OneOf(ENDPOINT_STATUSES, {
  description: 'A paused endpoint receives no deliveries. Events in the meantime are recorded and can be replayed.',
  examples: ['active'],
})

const fields = {
  id: Type.String({ description: 'Id of the endpoint.', examples: [EXAMPLE_ID] }),
  url: Type.String({ description: 'Destination of the deliveries.', examples: [EXAMPLE_URL] }),
  description: Type.Optional(Type.String({ description: 'Label.', examples: ['Orders into the ERP'] })),
  events: Type.Array(subscription, {
    description: 'Subscribed event types and wildcards.',
    examples: [['cases.*', 'assignments.status.updated']],
  }),
  status,
  created_at: DateTime('Time of the creation.'),
  updated_at: DateTime('Time of the last change.'),
}

export const WebhookEndpoint = closed(fields)
export type WebhookEndpoint = Static<typeof WebhookEndpoint>

export const CreatedWebhookEndpoint = closed({
  ...fields,
  secret: Type.String({
    description: 'Secret that verifies the signatures: `whsec_` and 32 bytes in base64. No other response contains it.',
    examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
  }),
})
export type CreatedWebhookEndpoint = Static<typeof CreatedWebhookEndpoint>

export const WebhookEndpointInput = closed({
  url,
  events,
  description: Type.Optional(description),
  status: Type.Optional(
    OneOf(ENDPOINT_STATUSES, { description: 'Whether it receives deliveries. Default: active.', examples: ['active'] }),
  ),
})
export type WebhookEndpointInput = Static<typeof WebhookEndpointInput>

export const WebhookEndpointPatch = Type.Partial(closed({ url, events, description, status }))

const dataOf = <T extends typeof WebhookEndpoint | typeof CreatedWebhookEndpoint>(endpoint: T) =>
  closed({ data: endpoint })
const endpointId = pathParam('webhookId', 'Id of the endpoint.', EXAMPLE_ID)

export const listWebhookEndpoints = defineOperation({
  id: 'listWebhookEndpoints',
  method: 'GET',
  path: '/v2.3/webhooks/endpoints',
  tag: endpointsTag,
  summary: 'List webhook endpoints',
  description: 'All endpoints of your organization, newest first, without their secrets.',
  access: 'webhook:manage',
  response: closed({ data: Type.Array(WebhookEndpoint, { description: 'The endpoints.' }) }),
})

export const createWebhookEndpoint = defineOperation({
  id: 'createWebhookEndpoint',
  method: 'POST',
  path: '/v2.3/webhooks/endpoints',
  tag: endpointsTag,
  summary: 'Create a webhook endpoint',
  description: `The response contains the secret, once. An organization has at most ${MAX_ENDPOINTS} endpoints.`,
  access: 'webhook:manage',
  body: WebhookEndpointInput,
  status: 201,
  response: dataOf(CreatedWebhookEndpoint),
  refusals: ['limit_reached'],
  audit: {
    procedure: 'webhookEndpoint.create',
    request: ['webhookId', 'url', 'events', 'description', 'status'],
    hostOnly: ['url'],
  },
  noStore: true,
  outlivesImpersonation: true,
})

export const getWebhookEndpoint = defineOperation({
  id: 'getWebhookEndpoint',
  method: 'GET',
  path: '/v2.3/webhooks/endpoints/{webhookId}',
  tag: endpointsTag,
  summary: 'Get a webhook endpoint',
  description: 'The secret is not part of the answer.',
  access: 'webhook:manage',
  params: endpointId,
  response: dataOf(WebhookEndpoint),
})

export const patchWebhookEndpoint = defineOperation({
  id: 'patchWebhookEndpoint',
  method: 'PATCH',
  path: '/v2.3/webhooks/endpoints/{webhookId}',
  tag: endpointsTag,
  summary: 'Change a webhook endpoint',
  description:
    'Fields that are not sent keep their value. A patch that names a field advances `updated_at`. Once a patch to `paused` ' +
    'has answered, no new delivery starts.',
  access: 'webhook:manage',
  params: endpointId,
  body: WebhookEndpointPatch,
  response: dataOf(WebhookEndpoint),
  audit: {
    procedure: 'webhookEndpoint.patch',
    request: ['webhookId', 'url', 'events', 'description', 'status'],
    hostOnly: ['url'],
  },
  outlivesImpersonation: true,
})

export const deleteWebhookEndpoint = defineOperation({
  id: 'deleteWebhookEndpoint',
  method: 'DELETE',
  path: '/v2.3/webhooks/endpoints/{webhookId}',
  tag: endpointsTag,
  summary: 'Delete a webhook endpoint',
  description:
    'After the response, no new delivery starts. The response has no body, because HTTP does not allow one with 204.',
  access: 'webhook:manage',
  params: endpointId,
  status: 204,
  audit: { procedure: 'webhookEndpoint.delete', request: ['webhookId'] },
  outlivesImpersonation: true,
})
