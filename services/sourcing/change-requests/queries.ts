import type { ChangeRequest, Side } from '../../../proto/http/sourcing/change-requests.ts'
import { CHANGE_REQUEST, type ChangeRequestState } from '../../../proto/states/change-requests.ts'
import type { OrderState } from '../../../proto/states/orders.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'
import { inView } from '../orders/visibility.ts'

/** Whether the organization is one of the two sides of an order. */
const isSide = (sql: Sql, orgId: string) =>
  sql`(${inView(sql, orgId, 'CONSUMER')} or ${inView(sql, orgId, 'MANUFACTURER')})`

/** No row where the organization is no side of the order. */
export const findOrder = (sql: Sql, orgId: string, id: string) => sql<{ id: string }[]>`
  select id from sourcing.orders where id = ${id} and ${isSide(sql, orgId)}`

/** Newest first. The caller has found the order. */
export const listChangeRequests = (sql: Sql, orderId: string, { after, limit, offset }: PageWindow) => sql<
  DocumentRow[]
>`
  select id as position, document from sourcing.change_requests
  where order_id = ${orderId} and id < ${after ?? NEWEST_ID}
  order by id desc limit ${limit} offset ${offset}`

/** The change requests of a side of an order: all, and whether one is PROPOSED. */
export const countChangeRequests = (tx: Tx, orderId: string, side: Side) => tx<[{ all: number; isProposed: boolean }]>`
  select count(*)::integer as all, coalesce(bool_or(state = 'PROPOSED'), false) as "isProposed"
  from sourcing.change_requests where order_id = ${orderId} and side = ${side}`

interface NewChangeRequest {
  id: string
  orderId: string
  side: Side
  orgId: string
  deciderOrgId: string
  quantity: number | null
  dueDate: string | null
  unitPrice: string | null
  cancel: boolean | null
  fee: string | null
  currency: string
  previous: ChangeRequest['previous']
  reason: string
}

/** The order is locked, as for all statements below. */
export const insertChangeRequest = (tx: Tx, created: NewChangeRequest, now: string) => tx<[{ document: string }]>`
  insert into sourcing.change_requests (
    id, order_id, side, org_id, decider_org_id, state, quantity, due_date, unit_price, cancel, fee, currency, previous,
    reason, created_at)
  values (
    ${created.id}, ${created.orderId}, ${created.side}, ${created.orgId}, ${created.deciderOrgId},
    ${CHANGE_REQUEST.initial}, ${created.quantity}, ${created.dueDate}, ${created.unitPrice}, ${created.cancel},
    ${created.fee}, ${created.currency}, ${JSON.stringify(created.previous)}::text::json, ${created.reason}, ${now})
  returning document`

interface ChangeRequestRow {
  document: string
  org_id: string
  decider_org_id: string
}

export const findChangeRequest = (tx: Tx, orderId: string, id: string) => tx<ChangeRequestRow[]>`
  select document, org_id, decider_org_id from sourcing.change_requests where id = ${id} and order_id = ${orderId}`

interface Decision {
  id: string
  to: ChangeRequestState
  reason?: string | undefined
  /** Takes effect without the fee. */
  isWithoutFee?: boolean
}

export const decideChangeRequest = (tx: Tx, { id, to, reason, isWithoutFee = false }: Decision, now: string) => tx<
  [{ document: string }]
>`
  update sourcing.change_requests set state = ${to}, decided_at = ${now}, decision_reason = ${reason ?? null},
    fee = case when not ${isWithoutFee} then fee end
  where id = ${id}
  returning document`

/** Withdraws what is still PROPOSED. */
export const endChangeRequests = (tx: Tx, orderId: string, now: string) => tx`
  update sourcing.change_requests set state = ${CHANGE_REQUEST.verbs.end.to}, decided_at = ${now}
  where order_id = ${orderId} and state = any(${[...CHANGE_REQUEST.verbs.end.from]})`

/** What an accepted change request makes of its order. */
interface ChangedOrder {
  state: OrderState
  heldState: OrderState | null
  quantity: number
  remadeQuantity: number
  proposedRemakeQuantity: number | null
  dueDate: string
  unitPrice: string
  total: string
  cancellationFee: string | null
  hasArrived: boolean
}

/**
 * A new day of delivery replaces the expected ones that the manufacturer announced for the day before. Why
 * consumer and manufacturer agreed stays between them.
 */
export const updateOrder = (tx: Tx, id: string, changed: ChangedOrder, now: string) => tx<[{ document: string }]>`
  with assignment as (
    update sourcing.assignments set due_date = ${changed.dueDate}
    where order_id = ${id} and due_date <> ${changed.dueDate}
      and (select due_date from sourcing.orders where id = ${id}) <> ${changed.dueDate}::date
  )
  update sourcing.orders set state = ${changed.state}, held_state = ${changed.heldState},
    quantity = ${changed.quantity}, remade_quantity = ${changed.remadeQuantity},
    proposed_remake_quantity = ${changed.proposedRemakeQuantity},
    extended_due_date = case when due_date = ${changed.dueDate} then extended_due_date end,
    due_date = ${changed.dueDate}, unit_price = ${changed.unitPrice}, total = ${changed.total},
    cancellation_fee = ${changed.cancellationFee}, arrived_at = case when ${changed.hasArrived} then ${now}::timestamptz end,
    reason = case when state = ${changed.state} then reason end,
    updated_at = ${now}
  where id = ${id}
  returning document`

/**
 * Requests of consumers to cancel orders that the manufacturer has left unanswered since a time, with the order overdue
 * since a day.
 */
export const findUnanswered = (
  sql: Sql,
  { before, dueBefore, except, limit }: { before: string; dueBefore: string; except: readonly string[]; limit: number },
) => sql<{ id: string; order_id: string }[]>`
  select request.id, request.order_id
  from sourcing.change_requests request join sourcing.orders placed on placed.id = request.order_id
  where request.state = 'PROPOSED' and request.cancel and request.side = 'CONSUMER' and request.created_at <= ${before}
    and request.id <> all(${[...except]})
    and placed.due_date <= ${dueBefore} and placed.state in ('PLACED', 'CONFIRMED', 'IN_PRODUCTION', 'INSPECTION', 'ON_HOLD')
  order by request.created_at limit ${limit}`
