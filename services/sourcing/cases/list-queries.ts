import type { FiltersOf } from '../../../proto/http/operation.ts'
import type * as api from '../../../proto/http/sourcing/cases.ts'
import type { Sql } from '../../kit/db/client.ts'
import { and } from '../../kit/db/conditions.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'

export type CaseListing = PageWindow & FiltersOf<typeof api.listCases>

/** The cases of an organization, newest first. */
export const listCases = (
  sql: Sql,
  orgId: string,
  { kind, state, rfqId, orderId, after, limit, offset }: CaseListing,
) => sql<DocumentRow[]>`
  select page.case_id as position, (
    select concat(left(document, -1), ',"unreadCount":', page.unread_count, '}') from sourcing.cases
    where id = page.case_id) as document
  from (
    select case_id, unread_count from sourcing.case_parties
    where org_id = ${orgId} and case_id < ${after ?? NEWEST_ID} and ${and(
      sql,
      kind !== undefined && sql`kind = ${kind}`,
      state !== undefined && sql`state = ${state}`,
      rfqId !== undefined && sql`rfq_id = ${rfqId}`,
      orderId !== undefined && sql`order_id = ${orderId}`,
    )}
    order by case_id desc limit ${limit} offset ${offset}
  ) page
  order by page.case_id desc`
