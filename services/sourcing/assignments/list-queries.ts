import type { OrderState } from '../../../proto/states/orders.ts'

import type { Sql } from '../../kit/db/client.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'

export interface AssignmentFilters {
  status?: OrderState | undefined
  archived?: boolean | undefined
  orderId?: string | undefined
  partId?: string | undefined
  factoryId?: string | undefined
  rfqId?: string | undefined
}

export type AssignmentListing = PageWindow & AssignmentFilters

/** Newest first: the assignments of the organization. */
export const listAssignments = (
  sql: Sql,
  orgId: string,
  { status, archived, orderId, partId, factoryId, rfqId, after, limit, offset }: AssignmentListing,
) => sql<DocumentRow[]>`
  select page.id as position, (select document from sourcing.assignments where id = page.id) as document
  from (
    select assignment_id as id from sourcing.assignment_parties
    where org_id = ${orgId}
      ${status === undefined ? sql`` : sql`and status = ${status}`}
      ${archived === undefined ? sql`` : sql`and archived = ${archived}`}
      ${orderId === undefined ? sql`` : sql`and assignment_id = (select id from sourcing.assignments where order_id = ${orderId})`}
      ${rfqId === undefined ? sql`` : sql`and assignment_id = any(array(select id from sourcing.assignments where rfq_id = ${rfqId}))`}
      ${partId === undefined ? sql`` : sql`and part_id = ${partId}`}
      ${factoryId === undefined ? sql`` : sql`and factory_id = ${factoryId}`}
      and assignment_id < ${after ?? NEWEST_ID}
    order by assignment_id desc limit ${limit} offset ${offset}
  ) page
  order by page.id desc`
