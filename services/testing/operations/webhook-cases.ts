import { MAX_ENDPOINTS } from '../../../proto/http/webhooks/endpoints.ts'
import { recordKind } from '../records.ts'
import type { OperationCase } from './operation-case.ts'

/** Webhook endpoints. */
export const WEBHOOK_CASES: Record<string, OperationCase> = {
  getWebhookEndpoint: { references: { 'path.webhookId': 'webhookEndpoint' } },
  createWebhookEndpoint: {
    async conflict(fixtures, account, input) {
      for (let made = 0; made < MAX_ENDPOINTS; made++) await recordKind('webhookEndpoint').make(fixtures, account)
      return input
    },
  },
  patchWebhookEndpoint: { references: { 'path.webhookId': 'webhookEndpoint' } },
  deleteWebhookEndpoint: { references: { 'path.webhookId': 'webhookEndpoint' } },
}
