import type { Period } from '../../../proto/http/times.ts'
import type { WebhookEndpointHealth } from '../../../proto/http/webhooks/endpoint-operations.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { type DeliveryRow, deliveryColumns } from '../deliveries/list-queries.ts'

type HealthRow = Omit<WebhookEndpointHealth, 'pauseReason' | 'previousSecretExpireTime'> & {
  pauseReason: string | null
  previousSecretExpireTime: string | null
}

export const findHealth = (sql: Sql, orgId: string, id: string, now: string) => sql<HealthRow[]>`
  select id, status, pause_reason as "pauseReason", failures, succeeded_at as "lastSuccessTime",
    case when previous_secrets_until > ${now} then previous_secrets_until end as "previousSecretExpireTime"
  from webhooks.endpoints where org_id = ${orgId} and id = ${id}`

/** Replays of an endpoint come one after the other, so that each gets numbers of its own. */
export const lockReplays = (tx: Tx, endpointId: string) => tx`
  select pg_advisory_xact_lock(hashtextextended('webhooks.replays ' || ${endpointId}, 0))`

/** The subscriptions of an endpoint, which stays as it is until the transaction ends. */
export const lockSubscriptions = (tx: Tx, orgId: string, id: string) => tx<{ id: string; events: string[] }[]>`
  select id, events from webhooks.endpoints where org_id = ${orgId} and id = ${id} for share`

/** The subscribed events of a period, at most one more than `limit`. A subscription with `*` is a prefix of types. */
const eventsOf = (
  sql: Sql,
  orgId: string,
  endpoint: { id: string; events: readonly string[] },
  period: Period,
  limit: number,
) =>
  sql`
    select id, timestamp, type from webhooks.events
    where org_id = ${orgId} and timestamp between ${period.from} and ${period.to}
      and (endpoint_id is null or endpoint_id = ${endpoint.id})
      and exists (
        select from unnest(${[...endpoint.events]}::text[]) subscription
        where type = subscription
          or right(subscription, 2) = '.*' and starts_with(type, left(subscription, -1)))
    order by timestamp, id limit ${limit}`

export const countEvents = (
  tx: Tx,
  orgId: string,
  endpoint: { id: string; events: readonly string[] },
  period: Period,
  limit: number,
) => tx<[{ count: number }]>`
  select count(*)::integer as count from (${eventsOf(tx, orgId, endpoint, period, limit)}) found`

/** Creates a delivery for each subscribed event of a period, with the next replay number of the event. */
export const insertReplays = (
  tx: Tx,
  orgId: string,
  endpoint: { id: string; events: readonly string[] },
  period: Period,
  limit: number,
  now: string,
) => tx<{ id: string }[]>`
  insert into webhooks.deliveries
    (id, org_id, endpoint_id, event_id, event_time, type, replay, next_attempt_at, created_at)
  select 'dlv_' || replace(uuidv7()::text, '-', ''), ${orgId}, ${endpoint.id}, event.id, event.timestamp, event.type,
    coalesce((
      select max(replay) + 1 from webhooks.deliveries d where d.endpoint_id = ${endpoint.id} and d.event_id = event.id
    ), 0), ${now}, ${now}
  from (${eventsOf(tx, orgId, endpoint, period, limit)}) event
  on conflict do nothing
  returning id`

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
  insert into webhooks.deliveries
    (id, org_id, endpoint_id, event_id, event_time, type, next_attempt_at, created_at)
  values ('dlv_' || replace(uuidv7()::text, '-', ''), ${event.orgId}, ${event.endpointId}, ${event.id}, ${now},
    ${event.type}, ${now}, ${now})
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
