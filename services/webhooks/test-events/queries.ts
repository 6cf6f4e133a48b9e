import type { Tx } from '../../kit/db/client.ts'
import { type DeliveryRow, deliveryColumns } from '../deliveries/queries.ts'

interface TestEvent {
  id: string
  orgId: string
  endpointId: string
  type: string
  body: string
}

/** Stores an event for one endpoint with its delivery. */
export const insertTestEvent = (tx: Tx, event: TestEvent, now: string) => tx<[DeliveryRow]>`
  with stored as (
    insert into webhooks.events (id, timestamp, org_id, type, body, endpoint_id)
    values (${event.id}, ${now}, ${event.orgId}, ${event.type}, ${event.body}, ${event.endpointId})
  )
  insert into webhooks.deliveries as d
    (id, org_id, endpoint_id, event_id, event_time, type, is_test, next_attempt_at, created_at)
  values ('dlv_' || replace(uuidv7()::text, '-', ''), ${event.orgId}, ${event.endpointId}, ${event.id}, ${now},
    ${event.type}, true, ${now}, ${now})
  returning ${deliveryColumns(tx)}`
