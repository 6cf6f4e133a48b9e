import { type Static, Type } from '@sinclair/typebox'
import { ENDPOINT_STATUSES } from '../../states/endpoints.ts'
import { WEBHOOK_EVENT_TYPES } from '../../webhook-events.ts'
import { defineOperation } from '../operation.ts'
import { closed, DateTime, OneOf, pathParam } from '../shapes.ts'
import { deliveriesTag, WebhookDelivery } from './deliveries.ts'

const endpointId = pathParam('id', 'Id of the endpoint.', 'wh_01JZ8Q4D3R1G5M7VJ0T6W2X9YB')

/** Maximum number of pending deliveries that the replays of an organization created. */
export const MAX_PENDING_REPLAYED = 20_000
/** Maximum number of pending deliveries of test events of an organization. */
export const MAX_PENDING_TESTS = 100

export const WebhookReplay = closed({
  from: DateTime('Events at or after this time, at most 30 days before the request.'),
  to: DateTime('Events at or before this time, which cannot be in the future.', {
    examples: ['2026-04-30T09:10:00.000Z'],
  }),
  deliveries: Type.Integer({ description: 'Deliveries that were created so far.', examples: [12] }),
  createdTime: DateTime('Time of the request.'),
  finishedTime: Type.Optional(DateTime('Time at which the last delivery was created.')),
})
export type WebhookReplay = Static<typeof WebhookReplay>

export const WebhookEndpointHealth = closed({
  id: Type.String({ description: 'Id of the endpoint.', examples: ['wh_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
  status: OneOf(ENDPOINT_STATUSES, { description: 'Whether it receives deliveries.', examples: ['paused'] }),
  pauseReason: Type.Optional(
    Type.String({
      description: 'Why the marketplace paused it; absent if a user did.',
      examples: ['All 21 attempts since 2026-04-26T09:10:00.000Z failed, not counting test events.'],
    }),
  ),
  failures: Type.Integer({
    description: 'Failed attempts since the last success or activation, not counting test events.',
    examples: [0],
  }),
  failingSinceTime: Type.Optional(DateTime('Time of the first of these failures.')),
  lastSuccessTime: Type.Optional(DateTime('Time of the last success, accurate to a minute.')),
  previousSecretExpireTime: Type.Optional(DateTime('Until when the previous secret also signs, after a rotation.')),
  replay: Type.Optional(WebhookReplay),
})
export type WebhookEndpointHealth = Static<typeof WebhookEndpointHealth>

export const getWebhookEndpointHealth = defineOperation({
  id: 'getWebhookEndpointHealth',
  method: 'GET',
  path: '/flows/v1/webhooks/endpoints/{id}',
  tag: deliveriesTag,
  summary: 'Get the health of a webhook endpoint',
  description:
    'Failures since the last success, why the endpoint is paused, and the last replay. The marketplace pauses an endpoint 72 ' +
    'hours after the first failure since the last success, if at least 20 attempts have failed by then.',
  access: 'webhook:manage',
  params: endpointId,
  response: WebhookEndpointHealth,
  etag: true,
})

export const replayWebhookEvents = defineOperation({
  id: 'replayWebhookEvents',
  method: 'POST',
  path: '/flows/v1/webhooks/endpoints/{id}/replay',
  tag: deliveriesTag,
  summary: 'Send the events of a period again',
  description:
    'Creates a delivery for each event of the period to which the endpoint subscribes, oldest first and as fast as the endpoint ' +
    'receives them, up to a rate that all organizations share. Each has the id of its event, so a receiver that has ' +
    'processed it can ignore it. Test events are left out. ' +
    'While the endpoint is paused, the replay waits; the deletion of the endpoint ends it. Events are kept for 30 days. An ' +
    'endpoint has one unfinished replay, and an organization at most ' +
    `${MAX_PENDING_REPLAYED} pending deliveries of replays, which wait for a retry or for a paused endpoint; more are 409.`,
  access: 'webhook:manage',
  params: endpointId,
  body: closed({
    from: DateTime('Events at or after this time.'),
    to: DateTime('Events at or before this time.', { examples: ['2026-04-30T09:10:00.000Z'] }),
  }),
  response: WebhookReplay,
  refusals: ['limit_reached'],
  audit: { procedure: 'webhookEndpoint.replay', request: ['id', 'from', 'to'] },
})

export const testWebhookEndpoint = defineOperation({
  id: 'testWebhookEndpoint',
  answersState: 'PENDING',
  method: 'POST',
  path: '/flows/v1/webhooks/endpoints/{id}/test',
  tag: deliveriesTag,
  summary: 'Send a test event to a webhook endpoint',
  description:
    'Sends an event of the type with `{"test": true}` as its data to this endpoint only, whatever it subscribes to. Its ' +
    'attempts do not count as failures or successes of the endpoint. An organization has at most ' +
    `${MAX_PENDING_TESTS} pending deliveries of test events; more are 409.`,
  access: 'webhook:manage',
  params: endpointId,
  body: closed({
    type: OneOf(WEBHOOK_EVENT_TYPES, { description: 'Type of the event.', examples: ['cases.created'] }),
  }),
  response: WebhookDelivery,
  refusals: ['limit_reached'],
  audit: { procedure: 'webhookEndpoint.test', request: ['id', 'type', 'deliveryId'] },
})

export const RotatedWebhookSecret = closed({
  secret: Type.String({
    description: 'The new secret. No other response contains it.',
    examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
  }),
  previousSecretExpireTime: DateTime('Until this time the previous secret also signs.'),
})

export const rotateWebhookSecret = defineOperation({
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: '/flows/v1/webhooks/endpoints/{id}/rotate-secret',
  tag: deliveriesTag,
  summary: 'Rotate the secret of a webhook endpoint',
  description:
    'Deliveries are signed with the new and the previous secret for 24 hours, separated by a space, so that receivers can switch without a gap.',
  access: 'webhook:manage',
  params: endpointId,
  response: RotatedWebhookSecret,
  audit: { procedure: 'webhookEndpoint.rotateSecret', request: ['id'] },
  noStore: true,
  outlivesImpersonation: true,
})
