import type { BillingDetailsInput } from '../../../../proto/http/sourcing/billing-details.ts'
import type { Sql, Tx } from '../../../kit/db/client.ts'
import { NEWEST_ID } from '../../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../../kit/pagination/pagination.ts'
import type { DocumentOnly } from '../queries.ts'
import { isParty } from '../visibility.ts'

/** Newest first. The caller may read the assignment. */
export const listBillingDetails = (sql: Sql, assignmentId: string, { after, limit, offset }: PageWindow) => sql<
  DocumentRow[]
>`
  select id as position, document from sourcing.billing_details
  where assignment_id = ${assignmentId} and id < ${after ?? NEWEST_ID}
  order by id desc limit ${limit} offset ${offset}`

export interface BillingDetailsKey {
  id: string
  billingDetailsId: string
}

export const findBillingDetails = (sql: Sql, orgId: string, { id, billingDetailsId }: BillingDetailsKey) => sql<
  DocumentOnly[]
>`
  select details.document from sourcing.billing_details details
  join sourcing.assignments assignment on assignment.id = assignment_id
  where details.id = ${billingDetailsId} and assignment_id = ${id} and ${isParty(sql, orgId)}`

/** Billing details that the organization created. The assignment is locked. */
export const findOwnBillingDetails = (tx: Tx, orgId: string, { id, billingDetailsId }: BillingDetailsKey) => tx<
  DocumentOnly[]
>`
  select document from sourcing.billing_details
  where id = ${billingDetailsId} and assignment_id = ${id} and org_id = ${orgId}`

export const countBillingDetails = (tx: Tx, orgId: string, assignmentId: string) => tx<[{ count: number }]>`
  select count(*)::int as count from sourcing.billing_details
  where assignment_id = ${assignmentId} and org_id = ${orgId}`

export const insertBillingDetails = (
  tx: Tx,
  orgId: string,
  { id, billingDetailsId }: BillingDetailsKey,
  { companyName, address, taxId, email, reference }: BillingDetailsInput,
  now: string,
) => tx<[DocumentOnly]>`
  insert into sourcing.billing_details (
    id, assignment_id, org_id, company_name, region_code, locality, postal_code, lines, tax_id, email, reference,
    created_at, updated_at)
  values (
    ${billingDetailsId}, ${id}, ${orgId}, ${companyName}, ${address.regionCode}, ${address.locality},
    ${address.postalCode ?? null}, ${address.lines}, ${taxId ?? null}, ${email ?? null}, ${reference ?? null},
    ${now}, ${now})
  returning document`

export const updateBillingDetails = (
  tx: Tx,
  orgId: string,
  { id, billingDetailsId }: BillingDetailsKey,
  { companyName, address, taxId, email, reference }: BillingDetailsInput,
  now: string,
) => tx<DocumentOnly[]>`
  update sourcing.billing_details set
    company_name = ${companyName}, region_code = ${address.regionCode}, locality = ${address.locality},
    postal_code = ${address.postalCode ?? null}, lines = ${address.lines}, tax_id = ${taxId ?? null},
    email = ${email ?? null}, reference = ${reference ?? null}, updated_at = ${now}
  where id = ${billingDetailsId} and assignment_id = ${id} and org_id = ${orgId}
  returning document`

export const deleteBillingDetails = (tx: Tx, orgId: string, { id, billingDetailsId }: BillingDetailsKey) => tx`
  delete from sourcing.billing_details
  where id = ${billingDetailsId} and assignment_id = ${id} and org_id = ${orgId}`
