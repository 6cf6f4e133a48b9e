import type { Tx } from '../../kit/db/client.ts'
import { type DeliveryRow, deliveryColumns } from '../deliveries/queries.ts'

/** Serializes the test events of an organization, so that concurrent requests do not exceed the limit. */
export const lockTests = (tx: Tx, orgId: string) => tx`
  select pg_advisory_xact_lock(hashtextextended('webhooks.tests ' || ${orgId}, 0))`

export const countPendingTests = (tx: Tx, orgId: string) => tx<[{ count: number }]>`
  select count(*)::integer as count from webhooks.deliveries
  where org_id = ${orgId} and state = 'PENDING' and is_test`

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
