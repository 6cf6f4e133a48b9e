import type { Sql, Tx } from '../../kit/db/client.ts'

interface InvitedAddress {
  id: string
  orgId: string
  email: string
  expireTime: string
}

/** The invitations whose links can be used. */
export const findInvitations = (sql: Sql, ids: readonly string[]) => sql<InvitedAddress[]>`
  select id, org_id as "orgId", email, expires_at as "expireTime" from sourcing.email_invitation_mails
  where id = any(${[...ids]}) order by id`

/** Invitations of the last day to one recipient: of one organization, and of all. */
export const countInvitationMails = (
  tx: Tx,
  { orgId, recipientHash }: { orgId: string; recipientHash: Uint8Array },
  now: string,
) => tx<[{ of_organization: number; of_all: number }]>`
  select count(*) filter (where org_id = ${orgId})::int as of_organization, count(*)::int as of_all
  from organization.mails
  where recipient_hash = ${Buffer.from(recipientHash)} and kind = 'RFQ_INVITATION'
    and created_at > ${now}::timestamptz - interval '24 hours'`

/** No row where the invitation has a link. */
export const insertLink = (
  tx: Tx,
  { hash, emailInvitationId, expireTime }: { hash: Uint8Array; emailInvitationId: string; expireTime: string },
) => tx<{ invitation_id: string }[]>`
  insert into organization.email_invitation_links (token_hash, invitation_id, expires_at)
  values (${Buffer.from(hash)}, ${emailInvitationId}, ${expireTime})
  on conflict (invitation_id) do nothing returning invitation_id`
