import type { CaseKind } from '../../../proto/http/sourcing/cases.ts'
import type { CaseState } from '../../../proto/states/cases.ts'
import type { Sql } from '../../kit/db/client.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'

export interface CaseFilters {
  kind?: CaseKind | undefined
  state?: CaseState | undefined
  rfqId?: string | undefined
  orderId?: string | undefined
}

export interface CaseListing extends PageWindow, CaseFilters {}

/** The cases of an organization, newest first. */
export const listCases = (
  sql: Sql,
  orgId: string,
  { kind, state, rfqId, orderId, after, limit, offset }: CaseListing,
) => sql<DocumentRow[]>`
  select page.case_id as position, (select document from sourcing.cases where id = page.case_id) as document
  from (
    select case_id from sourcing.case_parties
    where org_id = ${orgId}
      ${kind === undefined ? sql`` : sql`and kind = ${kind}`}
      ${state === undefined ? sql`` : sql`and state = ${state}`}
      ${rfqId === undefined ? sql`` : sql`and rfq_id = ${rfqId}`}
      ${orderId === undefined ? sql`` : sql`and order_id = ${orderId}`}
      and case_id < ${after ?? NEWEST_ID}
    order by case_id desc limit ${limit} offset ${offset}
  ) page
  order by page.case_id desc`
