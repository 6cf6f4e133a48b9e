import {
  MAX_EMAIL_INVITATIONS_A_DAY,
  MAX_LIVE_EMAIL_INVITATIONS,
} from '../../../proto/http/sourcing/email-invitations.ts'
import { EMAIL_INVITATION, type EmailInvitationState } from '../../../proto/states/email-invitations.ts'
import type { Pool, Sql, Tx } from '../../kit/db/client.ts'
import { lockByName } from '../../kit/db/locks.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { PageWindow } from '../../kit/pagination/pagination.ts'
import { inBatches } from '../../kit/worker/batches.ts'
import type { RfqSubject } from '../rfqs/followers.ts'

/** Serializes the invitations by e-mail of an organization, until the transaction ends. */
export const lockInvited = (tx: Tx, orgId: string) => lockByName(tx, 'invitations by e-mail', orgId)

/** How many of the limits of an organization and of an RFQ are left. */
export const countLeft = (tx: Tx, { orgId, rfqId }: { orgId: string; rfqId: string }, now: string) => tx<
  [{ of_day: number; of_rfq: number }]
>`
  select
    ${MAX_EMAIL_INVITATIONS_A_DAY} - (select count(*)::integer from sourcing.email_invitations
      where org_id = ${orgId} and created_at > ${now}::timestamptz - interval '24 hours') as of_day,
    ${MAX_LIVE_EMAIL_INVITATIONS} - (select count(*)::integer from sourcing.email_invitations
      where rfq_id = ${rfqId} and state in ('PENDING', 'REDEEMED')) as of_rfq`

/** Ends expired invitations of an RFQ, so that their addresses can be invited again. */
export const expireInvitations = (tx: Tx, rfqId: string, now: string) => tx`
  update sourcing.email_invitations set state = ${EMAIL_INVITATION.verbs.expire.to}
  where rfq_id = ${rfqId} and state = 'PENDING' and expires_at <= ${now}`

interface NewInvitation {
  id: string
  email: string
}

/** Returns the ids of the new invitations: an address with a live one has none. */
export const insertInvitations = (
  tx: Tx,
  { rfqId, orgId, invitations }: { rfqId: string; orgId: string; invitations: readonly NewInvitation[] },
  { now, expiresAt }: { now: string; expiresAt: string },
) => tx<{ id: string }[]>`
  insert into sourcing.email_invitations (id, rfq_id, org_id, email, email_key, state, created_at, expires_at)
  select n.id, ${rfqId}, ${orgId}, n.email, lower(n.email), ${EMAIL_INVITATION.initial}, ${now}, ${expiresAt}
  from json_to_recordset(${JSON.stringify(invitations)}::text::json) as n (id text, email text)
  on conflict (rfq_id, email_key) where state in ('PENDING', 'REDEEMED') do nothing
  returning id`

export interface InvitationRow {
  id: string
  rfq_id: string
  email: string
  state: EmailInvitationState
  redeemed_by_org_id: string | null
  org_name: string | null
  org_region_code: string | null
  created_at: string
  expires_at: string
  redeemed_at: string | null
  decided_at: string | null
}

const columns = (sql: Sql) => sql`
  invitation.id, invitation.rfq_id, invitation.email, invitation.state, invitation.redeemed_by_org_id,
  redeemer.name as org_name, redeemer.region_code as org_region_code,
  invitation.created_at, invitation.expires_at, invitation.redeemed_at, invitation.decided_at`

const redeemer = (sql: Sql) => sql`
  left join organization.org_directory redeemer on redeemer.org_id = invitation.redeemed_by_org_id`

/** Newest first. */
export const listInvitations = (sql: Sql, rfqId: string, { after, limit, offset }: PageWindow) => sql<InvitationRow[]>`
  select ${columns(sql)} from sourcing.email_invitations invitation ${redeemer(sql)}
  where invitation.rfq_id = ${rfqId} and invitation.id < ${after ?? NEWEST_ID}
  order by invitation.id desc limit ${limit} offset ${offset}`

export const lockInvitation = (tx: Tx, { orgId, rfqId, id }: { orgId: string; rfqId: string; id: string }) => tx<
  { state: EmailInvitationState; expires_at: string; redeemed_by_org_id: string | null }[]
>`
  select state, expires_at, redeemed_by_org_id from sourcing.email_invitations
  where id = ${id} and rfq_id = ${rfqId} and org_id = ${orgId} for update`

/** The invitation is locked. */
export const decide = (tx: Tx, id: string, to: EmailInvitationState, now: string) => tx<InvitationRow[]>`
  with invitation as (
    update sourcing.email_invitations set state = ${to}, decided_at = ${now} where id = ${id}
    returning id, rfq_id, email, state, redeemed_by_org_id, created_at, expires_at, redeemed_at, decided_at
  )
  select ${columns(tx)} from invitation ${redeemer(tx)}`

export interface LinkRow extends RfqSubject {
  invitationId: string
  consumerName: string
  serialNumber: string
  expireTime: string
}

/** The invitation of a link that can be used. */
export const findByLink = (sql: Sql, hash: Uint8Array, now: string) => sql<LinkRow[]>`
  select invitation.id as "invitationId", consumer.name as "consumerName", rfq.serial_number as "serialNumber",
    invitation.expires_at as "expireTime", rfq.id, rfq.part_id as "partId", rfq.consumer_org_id as "consumerOrgId",
    rfq.ip_owner_org_id as "ipOwnerOrgId"
  from organization.email_invitation_tokens token
  join sourcing.email_invitations invitation on invitation.id = token.invitation_id
  join sourcing.rfqs rfq on rfq.id = invitation.rfq_id
  join organization.org_directory consumer on consumer.org_id = invitation.org_id
  where token.token_hash = ${Buffer.from(hash)} and invitation.state = 'PENDING' and invitation.expires_at > ${now}
    and rfq.state in ('DRAFT', 'OPEN')`

/** Whether an organization makes parts, and whether it reads the RFQ as an invitee. */
export const findStanding = (tx: Tx, orgId: string, rfqId: string) => tx<
  [{ is_manufacturer: boolean; is_invited: boolean }]
>`
  select 'MANUFACTURER' = any(roles) as is_manufacturer, exists (
      select from sourcing.rfq_invitations
      where org_id = ${orgId} and rfq_id = ${rfqId} and state <> 'DECLINED') as is_invited
  from organization.org_directory where org_id = ${orgId}`

/** No row where another use of the link, or a revocation, came first. */
export const redeem = (tx: Tx, id: string, orgId: string, now: string) => tx<{ id: string }[]>`
  update sourcing.email_invitations set state = 'REDEEMED', redeemed_by_org_id = ${orgId}, redeemed_at = ${now}
  where id = ${id} and state = 'PENDING' returning id`

export const deleteEnded = (sql: Pool, before: string, signal: AbortSignal) =>
  inBatches(
    { limit: 1000, signal },
    (limit) => sql`
      delete from sourcing.email_invitations where id = any(array(
        select id from sourcing.email_invitations
        where coalesce(decided_at, expires_at) < ${before} and (state <> 'REDEEMED' or not exists (
          select from sourcing.rfqs rfq where rfq.id = rfq_id and rfq.state in ('DRAFT', 'OPEN')))
        order by coalesce(decided_at, expires_at) limit ${limit} for update skip locked))`,
  )
