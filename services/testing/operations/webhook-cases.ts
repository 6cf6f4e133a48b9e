import { MAX_PENDING_TESTS } from '../../../proto/http/webhooks/endpoint-flows.ts'
import { MAX_ENDPOINTS } from '../../../proto/http/webhooks/endpoints.ts'
import { recordKind } from '../records.ts'
import { withValue } from './inputs.ts'
import type { OperationCase } from './operation-case.ts'

/** Otherwise the events of other requests would be sent to the address of the example. */
const PAUSED = { 'body.status': 'paused' }

/** Webhook endpoints and deliveries. */
export const WEBHOOK_CASES: Record<string, OperationCase> = {
  getWebhookEndpoint: { references: { 'path.webhookId': 'webhookEndpoint' } },
  createWebhookEndpoint: {
    // Each request needs room below the limit.
    async values({ market }, { orgId }) {
      await market.db.owner`
        delete from webhooks.endpoints where org_id = ${orgId} and id not in (
          select id from webhooks.endpoints where org_id = ${orgId} order by id desc limit 5)`
      return PAUSED
    },
    async conflict(fixtures, account, input) {
      for (let made = 0; made < MAX_ENDPOINTS; made++) await recordKind('webhookEndpoint').make(fixtures, account)
      return input
    },
  },
  patchWebhookEndpoint: { references: { 'path.webhookId': 'webhookEndpoint' }, values: () => PAUSED },
  listWebhookDeliveries: { references: { 'query.endpointId': 'webhookEndpoint' } },
  getWebhookDelivery: { references: { 'path.id': 'webhookDelivery' } },
  listWebhookAttempts: { references: { 'path.id': 'webhookDelivery' } },
  retryWebhookDelivery: {
    references: { 'path.id': 'webhookDelivery' },
    async conflict(fixtures, account, input) {
      const id = await recordKind('webhookDelivery').make(fixtures, account)
      await fixtures.market.db.owner`update webhooks.deliveries set state = 'DELIVERED' where id = ${String(id)}`
      return withValue(input, 'path.id', id)
    },
  },
  getWebhookEndpointHealth: { references: { 'path.id': 'webhookEndpoint' } },
  replayWebhookEvents: {
    references: { 'path.id': 'webhookEndpoint' },
    async conflict(fixtures, account, input) {
      // Without a job, so that no worker finishes it.
      await fixtures.market.db.owner`
        insert into webhooks.replays (endpoint_id, from_time, to_time, created_at)
        select id, now(), now(), now() from webhooks.endpoints where org_id = ${account.orgId}
        on conflict do nothing`
      return input
    },
  },
  testWebhookEndpoint: {
    references: { 'path.id': 'webhookEndpoint' },
    async conflict(fixtures, account, input) {
      await fixtures.market.db.owner`
        insert into webhooks.deliveries
          (id, org_id, endpoint_id, event_id, event_time, type, is_test, next_attempt_at, created_at)
        select gen_random_uuid()::text, ${account.orgId}, 'wh_paused', gen_random_uuid()::text, now(), 'cases.created', true,
          now(), now()
        from generate_series(1, ${MAX_PENDING_TESTS}::integer)`
      return input
    },
  },
  rotateWebhookSecret: { references: { 'path.id': 'webhookEndpoint' } },
  deleteWebhookEndpoint: { references: { 'path.webhookId': 'webhookEndpoint' } },
}
