import type { EventData } from '../../../proto/events/events.ts'
import type { WebhookEventType } from '../../../proto/webhook-events.ts'
import { emitAll } from '../../kit/bus/outbox/emit.ts'
import type { Tx } from '../../kit/db/client.ts'

/** A notification to the parties of a record. */
interface Notification {
  type: WebhookEventType
  /** Id of the case or assignment. */
  subject: string
  /** A repeated organization gets one event. */
  partyOrgIds: readonly string[]
  data: EventData<WebhookEventType>
}

/** Emits one event for each party of each notification, in this order. */
export const notifyParties = (tx: Tx, notifications: readonly Notification[]) =>
  emitAll(
    tx,
    notifications.flatMap(({ type, subject, partyOrgIds, data }) =>
      [...new Set(partyOrgIds)].map((tenantId) => ({ type, tenantId, subject, data })),
    ),
  )
