import type { FiltersOf } from '../../../proto/http/operation.ts'
import type * as api from '../../../proto/http/sourcing/assignments.ts'
import type { Sql } from '../../kit/db/client.ts'
import { and } from '../../kit/db/conditions.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'

export type AssignmentListing = PageWindow & FiltersOf<typeof api.listAssignments>

/** Newest first: the assignments of the organization. */
export const listAssignments = (
  sql: Sql,
  orgId: string,
  { status, archived, orderId, partId, factoryId, rfqId, after, limit, offset }: AssignmentListing,
) => sql<DocumentRow[]>`
  select page.id as position, (select document from sourcing.assignments where id = page.id) as document
  from (
    select assignment_id as id from sourcing.assignment_parties
    where org_id = ${orgId} and assignment_id < ${after ?? NEWEST_ID} and ${and(
      sql,
      status !== undefined && sql`status = ${status}`,
      archived !== undefined && sql`archived = ${archived}`,
      orderId !== undefined && sql`assignment_id = (select id from sourcing.assignments where order_id = ${orderId})`,
      rfqId !== undefined &&
        sql`assignment_id = any(array(select id from sourcing.assignments where rfq_id = ${rfqId}))`,
      partId !== undefined && sql`part_id = ${partId}`,
      factoryId !== undefined && sql`factory_id = ${factoryId}`,
    )}
    order by assignment_id desc limit ${limit} offset ${offset}
  ) page
  order by page.id desc`
