import type { Sql } from '../../kit/db/client.ts'
import type { Due } from '../../kit/worker/batches.ts'

/** An RFQ that a worker closed or cancelled. */
export interface EndedRfq {
  id: string
  part_id: string
  consumer_org_id: string
  ip_owner_org_id: string
  manufacturer_ids: string[]
}

/** Closes OPEN RFQs whose expiry has passed, and marks all whose expiry has passed. Replicas take different rows. */
export const expireDue = (sql: Sql, { now, limit, except }: Due) => sql<(EndedRfq & { was_open: boolean })[]>`
  with due as materialized (
    select id, state from sourcing.rfqs
    where not expired and expires_at <= ${now} and id <> all(${[...except]})
    order by expires_at limit ${limit} for update skip locked
  )
  update sourcing.rfqs rfq set expired = true,
    state = case due.state when 'OPEN' then 'CLOSED' else rfq.state end,
    updated_at = case due.state when 'OPEN' then ${now}::timestamptz else rfq.updated_at end
  from due where rfq.id = due.id
  returning rfq.id, rfq.part_id, rfq.consumer_org_id, rfq.ip_owner_org_id, rfq.manufacturer_ids,
    due.state = 'OPEN' as was_open`

/** Cancels RFQs that have been CLOSED since a time before `closedBefore`. Replicas take different rows. */
export const lapseDue = (sql: Sql, reason: string, closedBefore: string, { now, limit, except }: Due) => sql<
  EndedRfq[]
>`
  with due as materialized (
    select id from sourcing.rfqs
    where state = 'CLOSED' and state_since <= ${closedBefore} and id <> all(${[...except]})
    order by state_since limit ${limit} for update skip locked
  )
  update sourcing.rfqs rfq set state = 'CANCELLED', cancel_reason = ${reason}, updated_at = ${now}
  from due where rfq.id = due.id
  returning rfq.id, rfq.part_id, rfq.consumer_org_id, rfq.ip_owner_org_id, rfq.manufacturer_ids`
