import { type Static, Type } from '@sinclair/typebox'
import { WEBHOOK_EVENT_TYPES } from '../../webhook-events.ts'
import { defineOperation } from '../operation.ts'
import { closed, DateTime, OneOf, pathParam } from '../shapes.ts'
import { deliveriesTag, WebhookDelivery } from './deliveries.ts'

const endpointId = pathParam('id', 'Id of the endpoint.', 'wh_01JZ8Q4D3R1G5M7VJ0T6W2X9YB')

/** Most events of one replay. */
export const MAX_REPLAYED_EVENTS = 10_000

export const WebhookEndpointHealth = closed({
  id: Type.String({ description: 'Id of the endpoint.', examples: ['wh_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
  status: OneOf(['active', 'paused'], { description: 'Whether it receives deliveries.', examples: ['paused'] }),
  pauseReason: Type.Optional(
    Type.String({
      description: 'Why the marketplace paused it; absent if a user did.',
      examples: ['The receiver answered 410 Gone.'],
    }),
  ),
  failures: Type.Integer({ description: 'Failed attempts since the last success.', examples: [0] }),
  lastSuccessTime: DateTime('Time of the last success; before the first one, of the creation or activation.'),
  previousSecretExpireTime: Type.Optional(DateTime('Until when the previous secret also signs, after a rotation.')),
})
export type WebhookEndpointHealth = Static<typeof WebhookEndpointHealth>

export const getWebhookEndpointHealth = defineOperation({
  id: 'getWebhookEndpointHealth',
  method: 'GET',
  path: '/flows/v1/webhooks/endpoints/{id}',
  tag: deliveriesTag,
  summary: 'Get the health of a webhook endpoint',
  description: 'Failures since the last success, and why the endpoint is paused.',
  access: 'webhook:manage',
  params: endpointId,
  response: WebhookEndpointHealth,
  etag: true,
})

export const ReplayedWebhookEvents = closed({
  deliveries: Type.Integer({ description: 'Deliveries that were created.', examples: [12] }),
})

export const replayWebhookEvents = defineOperation({
  id: 'replayWebhookEvents',
  method: 'POST',
  path: '/flows/v1/webhooks/endpoints/{id}/replay',
  tag: deliveriesTag,
  summary: 'Send the events of a period again',
  description:
    `Creates a delivery for each event of the period to which the endpoint subscribes now, at most ${MAX_REPLAYED_EVENTS}. ` +
    'Each has the id of its event, so a receiver that has processed it can ignore it. Events are kept for 30 days.',
  access: 'webhook:manage',
  params: endpointId,
  body: closed({
    from: DateTime('Events at or after this time.'),
    to: DateTime('Events at or before this time.', { examples: ['2026-04-30T09:10:00.000Z'] }),
  }),
  response: ReplayedWebhookEvents,
  refusals: ['limit_reached'],
  audit: { procedure: 'webhookEndpoint.replay', request: ['id', 'from', 'to'] },
})

export const testWebhookEndpoint = defineOperation({
  id: 'testWebhookEndpoint',
  method: 'POST',
  path: '/flows/v1/webhooks/endpoints/{id}/test',
  tag: deliveriesTag,
  summary: 'Send a test event to a webhook endpoint',
  description:
    'Sends an event of the type with `{"test": true}` as its data to this endpoint alone, whatever it subscribes to.',
  access: 'webhook:manage',
  params: endpointId,
  body: closed({
    type: OneOf(WEBHOOK_EVENT_TYPES, { description: 'Type of the event.', examples: ['cases.created'] }),
  }),
  response: WebhookDelivery,
  audit: { procedure: 'webhookEndpoint.test', request: ['id', 'type'] },
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
    'Deliveries are signed with the new and the previous secret for 24 hours, separated by a space, so that receivers can change without a gap.',
  access: 'webhook:manage',
  params: endpointId,
  response: RotatedWebhookSecret,
  audit: { procedure: 'webhookEndpoint.rotateSecret', request: ['id'] },
  noStore: true,
})
