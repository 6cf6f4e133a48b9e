import { periodOf } from '../../../proto/http/times.ts'
import type { ListWebhookDeliveries, WebhookAttempt, WebhookDelivery } from '../../../proto/http/webhooks/deliveries.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { timeKeyAt } from '../../kit/pagination/keysets.ts'
import type { PageWindow } from '../../kit/pagination/pagination.ts'

/** Postgres returns null for a missing value. */
type OrNull<Shape> = {
  [Name in keyof Shape]-?: undefined extends Shape[Name] ? NonNullable<Shape[Name]> | null : Shape[Name]
}
export type DeliveryRow = OrNull<WebhookDelivery>
export type AttemptRow = OrNull<WebhookAttempt>

/** Literals, so that the partial indexes of the states apply. */
const STATE = {
  PENDING: (sql: Sql) => sql`'PENDING' and finished_at is null`,
  DELIVERED: (sql: Sql) => sql`'DELIVERED'`,
  FAILED: (sql: Sql) => sql`'FAILED'`,
}

export const deliveryColumns = (sql: Sql) => sql`
  id, endpoint_id as "endpointId", event_id as "eventId", type, state, replay, attempt as attempts,
  created_at as "createdTime",
  case when state = 'PENDING' and exists (
    select from webhooks.endpoints e where e.id = endpoint_id and e.status = 'active'
  ) then next_attempt_at end as "nextAttemptTime",
  finished_at as "finishedTime"`

/** Newest first. */
export function listDeliveries(
  sql: Sql,
  orgId: string,
  { endpointId, type, state, ...ends }: Omit<ListWebhookDeliveries, 'page' | 'pageSize'>,
  { after, limit, offset }: PageWindow,
) {
  const key = timeKeyAt(after)
  const period = periodOf(ends)
  return sql<DeliveryRow[]>`
    select ${deliveryColumns(sql)} from webhooks.deliveries
    where org_id = ${orgId} and (created_at, id) < (${key.timestamp}::timestamptz, ${key.id})
      ${endpointId === undefined ? sql`` : sql`and endpoint_id = ${endpointId}`}
      ${type === undefined ? sql`` : sql`and type = ${type}`}
      ${state === undefined ? sql`` : sql`and state = ${STATE[state](sql)}`}
      and created_at between ${period.from} and ${period.to}
    order by created_at desc, id desc limit ${limit} offset ${offset}`
}

export const findDelivery = (sql: Sql, orgId: string, id: string) => sql<DeliveryRow[]>`
  select ${deliveryColumns(sql)} from webhooks.deliveries where org_id = ${orgId} and id = ${id}`

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
  { state: WebhookDelivery['state']; has_endpoint: boolean }[]
>`
  select state, exists (select from webhooks.endpoints where id = endpoint_id) as has_endpoint
  from webhooks.deliveries where org_id = ${orgId} and id = ${id} for update`

/** Makes a delivery due. One that is due already, or running now, gets no attempt beside its schedule. */
export const makeDue = (tx: Tx, orgId: string, id: string, now: string) => tx<[DeliveryRow]>`
  update webhooks.deliveries set state = 'PENDING', next_attempt_at = ${now}, finished_at = null,
    retries = retries + case when state = 'FAILED' or next_attempt_at > ${now} then 1 else 0 end
  where org_id = ${orgId} and id = ${id}
  returning ${deliveryColumns(tx)}`
