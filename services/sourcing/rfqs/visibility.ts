import type { Fragment, Sql } from '../../kit/db/client.ts'
import type { OrgRef } from '../orders/visibility.ts'
import { isOwnRfq, isWholeInvitation } from '../parts/visibility.ts'
import { pinnedPicture } from '../renderings/pictures.ts'

/*
 * The organizations that read an RFQ: two conditions on rows of `sourcing.rfqs`, one on rows of
 * `sourcing.rfq_invitations`, which exist from the publication on. The texts match the predicates of the partial
 * indexes.
 */

export const isConsumer = (sql: Sql, orgId: OrgRef) => sql`consumer_org_id = ${orgId}`

export const isIpOwner = (sql: Sql, orgId: OrgRef) => sql`ip_owner_org_id = ${orgId} and published_at is not null`

export const isInvited = (sql: Sql, orgId: string) => sql`org_id = ${orgId}`

/** The JSON of an RFQ for its consumer or its IP owner, on rows `rfq`. An invited IP owner reads its invitation. */
export const documentFor = (sql: Sql, orgId: string) => sql`
  case when ${isConsumer(sql, orgId)} then consumer_document else sourcing.with_invitation(document, (
    select invitation_document from sourcing.rfq_invitations where rfq_id = rfq.id and ${isInvited(sql, orgId)}
  )) end`

/** What consumer and IP owner read of an RFQ and of the revision that it pins, on rows `rfq`. */
export const readAsParty = (sql: Sql, orgId: string, document = documentFor(sql, orgId)) => sql`
  ${document} as document, rfq.part_id, rfq.part_revision, ${isOwnRfq(sql, orgId)} as shows_picture`

/** The same for an invited manufacturer, on rows `invitation`. */
export const readAsInvitee = (sql: Sql, orgId: string) => sql`
  invitation.document, invitation.part_id, invitation.part_revision,
  ${isWholeInvitation(sql, orgId)} as shows_picture`

/** The picture that an organization sees of the part of an RFQ, on rows `seen` of the two. */
export const pictureFor = (sql: Sql, orgId: string) =>
  pinnedPicture(sql, orgId, {
    partId: sql`seen.part_id`,
    revision: sql`seen.part_revision`,
    isReader: sql`seen.shows_picture`,
  })

/**
 * An RFQ as an organization reads it; no row where it may not. An invited consumer or IP owner reads that of its other
 * role.
 */
export const seenRfq = (sql: Sql, readerId: string, rfqId: string | Fragment) => {
  const orgId = sql`wanted.org_id`
  return sql`(
    select
      case when rfq.consumer_org_id = ${orgId} then rfq.consumer_document
        when rfq.id is null then invitation.document
        else sourcing.with_invitation(rfq.document, invitation.invitation_document) end as document,
      case when rfq.id is null then 'MANUFACTURER' when rfq.consumer_org_id = ${orgId} then 'CONSUMER'
        else 'IP_OWNER' end as reader,
      case when rfq.id is null then invitation.part_id else rfq.part_id end as part_id,
      case when rfq.id is null then invitation.part_revision else rfq.part_revision end as part_revision,
      case when rfq.id is null then ${isWholeInvitation(sql, orgId)} else ${isOwnRfq(sql, orgId)} end as shows_picture,
      rfq.id is null and invitation.state = 'INVITED' as is_unread,
      rfq.id is null and invitation.awaits_acceptance as is_outline,
      rfq.id is null and invitation.state = 'DECLINED' as is_declined
    from (values (${rfqId}, ${readerId})) wanted (id, org_id)
    left join sourcing.rfqs rfq on rfq.id = wanted.id and (${isConsumer(sql, orgId)} or (${isIpOwner(sql, orgId)}))
    left join sourcing.rfq_invitations invitation on invitation.rfq_id = wanted.id and invitation.org_id = ${orgId}
    where num_nonnulls(rfq.id, invitation.rfq_id) > 0)`
}

/** The invitation of an organization to an RFQ. */
export const seenInvitation = (sql: Sql, orgId: string, rfqId: Fragment) => sql`(
  select ${readAsInvitee(sql, orgId)} from sourcing.rfq_invitations invitation
  where rfq_id = ${rfqId} and ${isInvited(sql, orgId)})`
