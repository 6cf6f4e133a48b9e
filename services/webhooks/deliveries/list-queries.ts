import { periodOf } from '../../../proto/http/times.ts'
import {
  DELIVERY_STATES,
  type ListWebhookDeliveries,
  type WebhookAttempt,
} from '../../../proto/http/webhooks/deliveries.ts'
import type { Sql } from '../../kit/db/client.ts'
import { and } from '../../kit/db/conditions.ts'
import type { OrNull } from '../../kit/db/rows.ts'
import { GREATEST_INTEGER, NEWEST, timeKeyAt } from '../../kit/pagination/keysets.ts'
import type { PageWindow } from '../../kit/pagination/pagination.ts'
import { type DeliveryRow, deliveryColumns } from './queries.ts'

type AttemptRow = OrNull<WebhookAttempt>

/**
 * Newest first. Each type and state is read from an index in order, so only listed rows are read. An organization has
 * few types, which the recursion finds with one entry of the index each.
 */
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
  const ofEndpoint = and(sql, endpointId !== undefined && sql`endpoint_id = ${endpointId}`)
  const types =
    type === undefined
      ? sql`
        (select type from webhooks.deliveries where org_id = ${orgId} and ${ofEndpoint} order by type limit 1)
        union all
        select (
          select type from webhooks.deliveries
          where org_id = ${orgId} and ${ofEndpoint} and type > types.type order by type limit 1)
        from types where types.type is not null`
      : sql`select ${type}::text`
  return sql<DeliveryRow[]>`
    with recursive types (type) as (${types})
    select ${deliveryColumns(sql)} from webhooks.deliveries d
    where org_id = ${orgId} and id = any(array(
      select listed.id
      from types cross join unnest(${state === undefined ? [...DELIVERY_STATES] : [state]}::text[]) states (state)
      cross join lateral (
        select id, created_at from webhooks.deliveries
        where org_id = ${orgId} and ${ofEndpoint} and type = types.type and state = states.state and created_at >= ${from}
          and (created_at, id) < (${before.timestamp}::timestamptz, ${before.id})
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
    from webhooks.attempts where delivery_id = ${deliveryId} and number < ${after ?? GREATEST_INTEGER}::integer
    order by number desc limit ${limit} offset ${offset}`
}
