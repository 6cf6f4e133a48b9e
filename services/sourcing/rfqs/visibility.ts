import type { Fragment, Sql } from '../../kit/db/client.ts'
import type { OrgRef } from '../orders/visibility.ts'

/*
 * The organizations that read an RFQ: two conditions on rows of `sourcing.rfqs`, one on rows of
 * `sourcing.rfq_invitations`, which exist from the publication on. The texts match the predicates of the partial
 * indexes.
 */

export const isConsumer = (sql: Sql, orgId: OrgRef) => sql`consumer_org_id = ${orgId}`

export const isIpOwner = (sql: Sql, orgId: OrgRef) => sql`ip_owner_org_id = ${orgId} and published_at is not null`

export const isInvited = (sql: Sql, orgId: string) => sql`org_id = ${orgId}`

/**
 * The JSON of an RFQ for its consumer or its IP owner, on rows of `sourcing.rfqs`. An invited IP owner reads its
 * invitation.
 */
export const documentFor = (sql: Sql, orgId: string) => sql`
  case when ${isConsumer(sql, orgId)} then consumer_document else sourcing.with_invitation(document, (
    select invitation_document from sourcing.rfq_invitations where rfq_id = rfqs.id and ${isInvited(sql, orgId)}
  )) end`

/**
 * Whether the revision that an RFQ pins has a model. Who may know of it is asked for the RFQs that have one, because
 * Postgres starts the plan of that question for each execution.
 */
export const hasModel = (sql: Sql, rfqId: Fragment) => sql`coalesce((
  select (
    select measured is not null from sourcing.part_revisions pinned
    where pinned.part_id = rfq.part_id and pinned.revision = rfq.part_revision)
  from sourcing.rfqs rfq where rfq.id = ${rfqId}), false)`
