import { periodOf } from '../../../proto/http/times.ts'
import {
  DELIVERY_STATES,
  type ListWebhookDeliveries,
  type WebhookAttempt,
  type WebhookDelivery,
} from '../../../proto/http/webhooks/deliveries.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { NEWEST, timeKeyAt } from '../../kit/pagination/keysets.ts'
import type { PageWindow } from '../../kit/pagination/pagination.ts'

/** Postgres returns null for a missing value. */
export type OrNull<Shape> = {
  [Name in keyof Shape]-?: undefined extends Shape[Name] ? NonNullable<Shape[Name]> | null : Shape[Name]
}
export type DeliveryRow = OrNull<WebhookDelivery>
export type AttemptRow = OrNull<WebhookAttempt>

/** The shown columns of a delivery, whose table or row has the alias `d`. */
export const deliveryColumns = (sql: Sql) => sql`
  d.id, d.endpoint_id as "endpointId", d.event_id as "eventId", d.type, d.state, d.replay, d.attempt as attempts,
  d.created_at as "createdTime",
  case when d.state = 'PENDING' and exists (
    select from webhooks.endpoints e where e.id = d.endpoint_id and e.status = 'active'
  ) then d.next_attempt_at end as "nextAttemptTime",
  d.finished_at as "finishedTime"`

/** Newest first. Each state is read from an index that has the other filters and the order, so no row is read in vain. */
export function listDeliveries(
  sql: Sql,
  orgId: string,
  { endpointId, type, state, ...ends }: Omit<ListWebhookDeliveries, 'page' | 'pageSize'>,
  { after, limit, offset }: PageWindow,
) {
  const { from, to } = periodOf(ends)
  const last = timeKeyAt(after)
  // One upper bound: Postgres would begin at the first of two and read until the second.
  const before = last.timestamp > to ? { ...NEWEST, timestamp: to } : last
  return sql<DeliveryRow[]>`
    select ${deliveryColumns(sql)} from webhooks.deliveries d
    where org_id = ${orgId} and id = any(array(
      select listed.id
      from unnest(${state === undefined ? [...DELIVERY_STATES] : [state]}::text[]) states (state)
      cross join lateral (
        select id, created_at from webhooks.deliveries
        where org_id = ${orgId} and state = states.state and created_at >= ${from}
          and (created_at, id) < (${before.timestamp}::timestamptz, ${before.id})
          ${endpointId === undefined ? sql`` : sql`and endpoint_id = ${endpointId}`}
          ${type === undefined ? sql`` : sql`and type = ${type}`}
        order by created_at desc, id desc limit ${limit + offset}
      ) listed
      order by listed.created_at desc, listed.id desc limit ${limit} offset ${offset}))
    order by d.created_at desc, d.id desc`
}

export const findDelivery = (sql: Sql, orgId: string, id: string) => sql<DeliveryRow[]>`
  select ${deliveryColumns(sql)} from webhooks.deliveries d where org_id = ${orgId} and id = ${id}`

/** Newest first. */
export function listAttempts(sql: Sql, deliveryId: string, { after, limit, offset }: PageWindow) {
  return sql<AttemptRow[]>`
    select number, timestamp as "startedTime", duration_ms as "durationMs", status, error, response
    from webhooks.attempts where delivery_id = ${deliveryId} and number < ${after ?? BEFORE_ALL}::integer
    order by number desc limit ${limit} offset ${offset}`
}

/** Sorts before every number in a list that has the highest first. */
const BEFORE_ALL = '2147483647'

export const lockDelivery = (tx: Tx, orgId: string, id: string) => tx<
  { state: WebhookDelivery['state']; replay: number; has_endpoint: boolean }[]
>`
  select state, replay, exists (select from webhooks.endpoints where id = endpoint_id) as has_endpoint
  from webhooks.deliveries where org_id = ${orgId} and id = ${id} for update`

/** Makes a delivery due. One that is due already, or running now, gets no attempt beside its schedule. */
export const makeDue = (tx: Tx, orgId: string, id: string, now: string) => tx<[DeliveryRow]>`
  update webhooks.deliveries d set state = 'PENDING', next_attempt_at = ${now}, finished_at = null,
    retries = retries + case when state = 'FAILED' or next_attempt_at > ${now} then 1 else 0 end
  where org_id = ${orgId} and id = ${id}
  returning ${deliveryColumns(tx)}`
