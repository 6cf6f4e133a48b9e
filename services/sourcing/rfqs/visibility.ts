import type { Fragment, Sql } from '../../kit/db/client.ts'
import type { OrgRef } from '../orders/visibility.ts'
import { isInvitedTo, isOwnRfq } from '../parts/visibility.ts'
import { pinnedPicture } from '../renderings/pictures.ts'

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

/** The picture that an organization that reads an RFQ sees of its part. */
export const pictureFor = (sql: Sql, orgId: string, rfqId: Fragment) => sql`(
  select ${pinnedPicture(sql, orgId, {
    partId: sql`rfq.part_id`,
    revision: sql`rfq.part_revision`,
    isReader: sql`(${isOwnRfq(sql, orgId)} or ${isInvitedTo(sql, orgId, sql`rfq.id`)})`,
  })}
  from sourcing.rfqs rfq where rfq.id = ${rfqId})`
