import { type Static, Type } from '@sinclair/typebox'
import { WEBHOOK_EVENT_TYPES } from '../../webhook-events.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, DateTime, OneOf, PageOf, pageQuery, pathParam } from '../shapes.ts'

export const deliveriesTag = defineTag(
  'Webhook deliveries',
  "Deliveries to your organization's webhook endpoints, with each attempt, and their repetition.",
)
const EXAMPLE_ID = 'dlv_01980b2f6c7e7b3f9d2f5a0c4b1e8d67'
const EXAMPLE_ENDPOINT = 'wh_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
const EXAMPLE_EVENT = 'evt_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

export const DELIVERY_STATES = ['PENDING', 'DELIVERED', 'FAILED'] as const
const state = OneOf(DELIVERY_STATES, {
  description:
    'PENDING: an attempt is due or scheduled; while the endpoint is paused, the delivery waits. DELIVERED: a 2xx was received. FAILED: the last attempt failed, or the endpoint was deleted.',
  examples: ['DELIVERED'],
})

export const WebhookDelivery = closed({
  id: Type.String({ description: 'Id of the delivery.', examples: [EXAMPLE_ID] }),
  endpointId: Type.String({ description: 'Its endpoint.', examples: [EXAMPLE_ENDPOINT] }),
  eventId: Type.String({
    description: 'Id of the event, which each attempt sends as `webhook-id`.',
    examples: [EXAMPLE_EVENT],
  }),
  type: Type.String({ description: 'Type of the event.', examples: ['cases.created'] }),
  state,
  replay: Type.Integer({
    description: '0 for the original delivery; each replay has the next number.',
    examples: [0],
  }),
  attempts: Type.Integer({ description: 'Attempts that were started.', examples: [1] }),
  createdTime: DateTime('Time of the creation.'),
  nextAttemptTime: Type.Optional(DateTime('Time of the next attempt of a PENDING delivery whose endpoint is active.')),
  finishedTime: Type.Optional(DateTime('Time of the success or of the last failure.')),
})
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const WebhookAttempt = closed({
  number: Type.Integer({ description: 'Number of the attempt, starting at 1.', examples: [1] }),
  startedTime: DateTime('Time of the request.'),
  durationMs: Type.Integer({ description: 'Duration in milliseconds.', examples: [42] }),
  status: Type.Optional(Type.Integer({ description: 'Status of the response.', examples: [200] })),
  error: Type.Optional(
    Type.String({
      description:
        'Why the request was not sent, or had no complete response. The limit of 15 seconds includes the response body.',
      examples: ['The receiver took longer than 15 seconds.'],
    }),
  ),
  response: Type.Optional(Type.String({ description: 'The first 4 KiB of the response.', examples: ['ok'] })),
})
export type WebhookAttempt = Static<typeof WebhookAttempt>

const deliveryId = pathParam('id', 'Id of the delivery.', EXAMPLE_ID)

export const ListWebhookDeliveries = Type.Object({
  ...pageQuery,
  endpointId: Type.Optional(Type.String({ description: 'Deliveries to this endpoint.', examples: [EXAMPLE_ENDPOINT] })),
  type: Type.Optional(OneOf(WEBHOOK_EVENT_TYPES, { description: 'Type of the event.', examples: ['cases.created'] })),
  state: Type.Optional(state),
  from: Type.Optional(DateTime('Created at or after this time.')),
  to: Type.Optional(DateTime('Created at or before this time.')),
})
export type ListWebhookDeliveries = Static<typeof ListWebhookDeliveries>

export const listWebhookDeliveries = defineOperation({
  id: 'listWebhookDeliveries',
  method: 'GET',
  path: '/flows/v1/webhooks/deliveries',
  tag: deliveriesTag,
  summary: 'List webhook deliveries',
  description: 'Newest first. Deliveries are kept for 30 days.',
  access: 'webhook:manage',
  query: ListWebhookDeliveries,
  response: PageOf(WebhookDelivery),
})

export const getWebhookDelivery = defineOperation({
  id: 'getWebhookDelivery',
  method: 'GET',
  path: '/flows/v1/webhooks/deliveries/{id}',
  tag: deliveriesTag,
  summary: 'Get a webhook delivery',
  description: 'An unknown id and one outside your scope are the same 404.',
  access: 'webhook:manage',
  params: deliveryId,
  response: WebhookDelivery,
  etag: true,
})

export const listWebhookAttempts = defineOperation({
  id: 'listWebhookAttempts',
  method: 'GET',
  path: '/flows/v1/webhooks/deliveries/{id}/attempts',
  tag: deliveriesTag,
  summary: 'List the attempts of a webhook delivery',
  description: 'Newest first.',
  access: 'webhook:manage',
  params: deliveryId,
  query: Type.Object({ ...pageQuery }),
  response: PageOf(WebhookAttempt),
})

export const retryWebhookDelivery = defineOperation({
  id: 'retryWebhookDelivery',
  answersState: 'PENDING',
  method: 'POST',
  path: '/flows/v1/webhooks/deliveries/{id}/retry',
  tag: deliveriesTag,
  summary: 'Retry a webhook delivery now',
  description:
    'A PENDING delivery becomes due immediately; a FAILED one gets one more attempt. A delivery to a paused endpoint waits until the endpoint ' +
    'is active. For a FAILED delivery of a replay or of a test event: 409 while the organization has the maximum of pending ones.',
  access: 'webhook:manage',
  params: deliveryId,
  response: WebhookDelivery,
  refusals: ['illegal_transition', 'limit_reached'],
  audit: { procedure: 'webhookDelivery.retry', request: ['id'] },
})
