import type { OrderState } from '../../../proto/states/orders.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { isManufacturer, isParty } from './visibility.ts'

export interface DocumentOnly {
  document: string
}

/** The assignments of orders that were just placed, in the order of the list. */
export const insertAssignments = (sql: Sql, opened: readonly { id: string; orderId: string }[]) => sql<DocumentOnly[]>`
  with opened as (
    insert into sourcing.assignments (
      id, order_id, order_serial_number, rfq_id, part_id, factory_id, consumer_org_id, ip_owner_org_id, manufacturer_org_id,
      seller_org_id, distributor_org_id, status, due_date, created_at, updated_at)
    select new.id, placed.id, serial_number, rfq_id, part_id, factory_id, consumer_org_id, ip_owner_org_id,
      manufacturer_org_id, seller_org_id, distributor_org_id, state, due_date, created_at, updated_at
    from unnest(${opened.map(({ id }) => id)}::text[], ${opened.map(({ orderId }) => orderId)}::text[]) new (id, order_id)
    join sourcing.orders placed on placed.id = new.order_id
    returning id, party_org_ids, status, archived, part_id, factory_id, document
  ), parties as (
    insert into sourcing.assignment_parties (org_id, assignment_id, status, archived, part_id, factory_id)
    select distinct org_id, id, status, archived, part_id, factory_id from opened, unnest(party_org_ids) org_id
  )
  select document from opened order by id`

/** Follows a step of an order. No row where the state is the same. */
export const updateStatus = (tx: Tx, orderId: string, status: OrderState, now: string) => tx<DocumentOnly[]>`
  with moved as (
    update sourcing.assignments set status = ${status}, updated_at = ${now}
    where order_id = ${orderId} and status <> ${status}
    returning id, party_org_ids, document
  ), parties as (
    update sourcing.assignment_parties set status = ${status} from moved
    where assignment_id = moved.id and org_id = any(party_org_ids)
  )
  select document from moved`

/** Follows a change of an order that keeps its state. */
export const touch = (tx: Tx, orderId: string, now: string) => tx<DocumentOnly[]>`
  update sourcing.assignments set updated_at = ${now} where order_id = ${orderId} returning document`

/** Without regard to an organization: the order is locked. */
export const findOfOrder = (tx: Tx, orderId: string) => tx<DocumentOnly[]>`
  select document from sourcing.assignments where order_id = ${orderId}`

/** The JSON of an assignment; no row where the order does not name the organization. */
export const findAssignment = (sql: Sql, orgId: string, id: string) => sql<DocumentOnly[]>`
  select document from sourcing.assignments where id = ${id} and ${isParty(sql, orgId)}`

/** An assignment of the organization, locked until the transaction ends. */
export const lockAssignment = (tx: Tx, orgId: string, id: string) => tx<DocumentOnly[]>`
  select document from sourcing.assignments where id = ${id} and ${isParty(tx, orgId)} for update`

/**
 * The order of an assignment of which the organization is the manufacturer. It is locked before the assignment, as in a
 * step of the order, so that the two never wait for each other.
 */
export const lockOrderOfManufacturer = (tx: Tx, orgId: string, id: string) => tx<{ id: string }[]>`
  select id from sourcing.orders
  where ${isManufacturer(tx, orgId)} and id = (select order_id from sourcing.assignments where id = ${id})
  for update`

/** An assignment of which the organization is the manufacturer, locked until the transaction ends. */
export const lockAssignmentOfManufacturer = (tx: Tx, orgId: string, id: string) => tx<DocumentOnly[]>`
  select document from sourcing.assignments where id = ${id} and ${isManufacturer(tx, orgId)} for update`

export const updateArchived = (tx: Tx, orgId: string, id: string, archived: boolean, now: string) => tx<DocumentOnly[]>`
  with changed as (
    update sourcing.assignments set archived = ${archived}, updated_at = ${now}
    where id = ${id} and ${isParty(tx, orgId)}
    returning id, party_org_ids, document
  ), parties as (
    update sourcing.assignment_parties set archived = ${archived} from changed
    where assignment_id = changed.id and org_id = any(party_org_ids)
  )
  select document from changed`

/** Sets a later expected day of delivery, by the manufacturer; the order shows it beside the agreed one. */
export const updateDueDate = (tx: Tx, orgId: string, id: string, dueDate: string, now: string) => tx<DocumentOnly[]>`
  with extended as (
    update sourcing.assignments set due_date = ${dueDate}, updated_at = ${now}
    where id = ${id} and ${isManufacturer(tx, orgId)}
    returning order_id, document
  ), expected as (
    update sourcing.orders set extended_due_date = ${dueDate} from extended
    where orders.id = order_id and ${isManufacturer(tx, orgId)}
  )
  select document from extended`
