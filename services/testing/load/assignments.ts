import { fill } from './fill.ts'
import type { Owner } from './owner.ts'

/**
 * Inserts the assignment of each order of `loadOrders` into empty tables under the owner's role, for load tests. Those
 * of COMPLETED orders are archived, but for one of ten.
 */
export const loadAssignments = (owner: Owner, { orders }: { orders: number }) =>
  fill(owner, { tables: ['sourcing.assignments', 'sourcing.assignment_parties'], count: orders }, ({ first, last }) =>
    insertAssignments(owner, first, last),
  )

const insertAssignments = (owner: Owner, first: number, last: number) => owner`
    with opened as (
      insert into sourcing.assignments (
        id, order_id, order_serial_number, rfq_id, part_id, factory_id, consumer_org_id, ip_owner_org_id,
        manufacturer_org_id, seller_org_id, distributor_org_id, status, archived, due_date, created_at, updated_at)
      select 'assignment_' || right(id, 26), id, serial_number, rfq_id, part_id, factory_id, consumer_org_id,
        ip_owner_org_id, manufacturer_org_id, seller_org_id, distributor_org_id, state,
        state = 'COMPLETED' and right(id, 1) <> '0', due_date, created_at, updated_at
      from sourcing.orders
      where id between 'order_' || lpad(${first}::text, 26, '0') and 'order_' || lpad(${last}::text, 26, '0')
      returning id, party_org_ids, status, archived, part_id, factory_id
    )
    insert into sourcing.assignment_parties (org_id, assignment_id, status, archived, part_id, factory_id)
    select distinct org_id, id, status, archived, part_id, factory_id from opened, unnest(party_org_ids) org_id`
