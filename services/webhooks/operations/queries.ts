import type { WebhookEndpointHealth } from '../../../proto/http/webhooks/endpoint-operations.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { type DeliveryRow, deliveryColumns, type OrNull } from '../deliveries/list-queries.ts'

type HealthRow = OrNull<Omit<WebhookEndpointHealth, 'replay'>>

export const findHealth = (sql: Sql, orgId: string, id: string, now: string) => sql<HealthRow[]>`
  select id, status, pause_reason as "pauseReason", failures, failing_since as "failingSinceTime",
    succeeded_at as "lastSuccessTime",
    case when previous_secrets_until > ${now} then previous_secrets_until end as "previousSecretExpireTime"
  from webhooks.endpoints where org_id = ${orgId} and id = ${id}`

/** An endpoint, which stays as it is until the transaction ends. The results of attempts can be recorded meanwhile. */
export const lockEndpoint = (tx: Tx, orgId: string, id: string) => tx<{ id: string }[]>`
  select id from webhooks.endpoints where org_id = ${orgId} and id = ${id} for key share`

/** Serializes the test events of an organization, so that concurrent requests do not exceed the limit. */
export const lockTests = (tx: Tx, orgId: string) => tx`
  select pg_advisory_xact_lock(hashtextextended('webhooks.tests ' || ${orgId}, 0))`

export const countPendingTests = (tx: Tx, orgId: string) => tx<[{ count: number }]>`
  select count(*)::integer as count from webhooks.deliveries
  where org_id = ${orgId} and state = 'PENDING' and is_test`

export interface TestEvent {
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

/** The present secret becomes the newest of the previous ones, of which three sign. */
export const rotateSecret = (
  tx: Tx,
  { orgId, id }: { orgId: string; id: string },
  encryptedSecret: string,
  previousUntil: string,
  now: string,
) => tx<{ id: string }[]>`
  update webhooks.endpoints set
    previous_secrets =
      (secret || case when previous_secrets_until > ${now} then previous_secrets else '{}' end)[1:3],
    previous_secrets_until = ${previousUntil}, secret = ${encryptedSecret}
  where org_id = ${orgId} and id = ${id}
  returning id`
