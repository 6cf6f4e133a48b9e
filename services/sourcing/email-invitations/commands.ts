import { DAY_MS, timeAfter } from '../../../proto/durations.ts'
import type * as api from '../../../proto/http/sourcing/email-invitations.ts'
import {
  EMAIL_INVITATION_DAYS,
  type EmailInvitation,
  type EmailInvitationLink,
  KEPT_EMAIL_INVITATION_DAYS,
  MAX_EMAIL_INVITATIONS_A_DAY,
  MAX_LIVE_EMAIL_INVITATIONS,
} from '../../../proto/http/sourcing/email-invitations.ts'
import { EMAIL_INVITATION, type EmailInvitationState } from '../../../proto/states/email-invitations.ts'
import { emailAddressOf } from '../../kit/addresses/email-addresses.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { requireTransition } from '../../kit/command/transitions.ts'
import type { Pool, Sql, Tx } from '../../kit/db/client.ts'
import { fold } from '../../kit/db/fold.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { found, notFound, refuse } from '../../kit/errors/refusal.ts'
import { hashOf } from '../../kit/secrets/tokens.ts'
import { inviteManufacturers } from '../rfqs/commands.ts'
import { emitRfqDetail } from '../rfqs/events.ts'
import type { RfqDeps, RfqSubject } from '../rfqs/followers.ts'
import { lockOwn } from '../rfqs/legality.ts'
import { findInvitees } from '../rfqs/queries.ts'
import { inviteeProblems } from '../rfqs/rules.ts'
import * as queries from './queries.ts'

const CANNOT_SOURCE =
  'Your organization cannot source from this one: it is no longer a manufacturer, or your distributor has released none of its factories to you.'

/** Invites addresses to a locked RFQ. Nothing is looked up, so that nothing tells whether an address is registered. */
export const inviteByEmail =
  (sendsMail: boolean) =>
  async (tx: Tx, rfq: RfqSubject, emails: readonly string[], now: string): Promise<string[]> => {
    if (!sendsMail) throw refuse('mail_unavailable')
    const spelled = emails.map((email) => emailAddressOf(email))
    const orgId = rfq.consumerOrgId
    await queries.lockInvited(tx, orgId)
    await queries.expireInvitations(tx, rfq.id, now)
    const byKey = new Map(spelled.map((email = '') => [fold(email), email]))
    const invitations = [...byKey.values()].map((email) => ({ id: newIdAt('emailInvitation', now), email }))
    const [left] = await queries.countLeft(tx, { orgId, rfqId: rfq.id }, now)
    const times = { now, expiresAt: timeAfter(now, EMAIL_INVITATION_DAYS * DAY_MS) }
    const added = await queries.insertInvitations(tx, { rfqId: rfq.id, orgId, invitations }, times)
    if (added.length > left.of_day) {
      const detail = `An organization invites at most ${MAX_EMAIL_INVITATIONS_A_DAY} addresses in 24 hours.`
      throw refuse('limit_reached', { detail })
    }
    if (added.length > left.of_rfq) {
      const detail = `An RFQ has at most ${MAX_LIVE_EMAIL_INVITATIONS} invitations by e-mail that are not decided.`
      throw refuse('limit_reached', { detail })
    }
    const ids = added.map(({ id }) => id)
    if (ids.length > 0) await emitRfqDetail(tx, 'emailInvited', rfq, { emailInvitationIds: ids })
    return ids
  }

/** Invites the organization that used the link. The RFQ is locked before the invitation, as by `inviteByEmail`. */
export async function confirmEmailInvitation(
  deps: RfqDeps,
  { tx, caller, params, now, audit }: CommandOf<typeof api.confirmEmailInvitation>,
): Promise<EmailInvitation> {
  const own = await lockOwn(tx, caller.orgId, params.id)
  const key = { orgId: caller.orgId, rfqId: params.id, id: params.invitationId }
  const row = found(await queries.lockInvitation(tx, key))
  const { redeemed_by_org_id: manufacturerOrgId } = row
  const state = stateAt(row, now)
  requireTransition(EMAIL_INVITATION, 'confirm', state)
  const invitees = manufacturerOrgId === null ? [] : [manufacturerOrgId]
  if (inviteeProblems(invitees, await findInvitees(tx, caller.orgId, invitees)).length > 0) {
    throw refuse('conflict', { detail: CANNOT_SOURCE })
  }
  await inviteManufacturers(deps, tx, own, invitees, now)
  audit.add({ manufacturerOrgId })
  return shownInvitation(
    found(await queries.decide(tx, key.id, EMAIL_INVITATION.stateAfter('confirm', state), now)),
    now,
  )
}

export async function revokeEmailInvitation({
  tx,
  caller,
  params,
  now,
}: CommandOf<typeof api.revokeEmailInvitation>): Promise<EmailInvitation> {
  const key = { orgId: caller.orgId, rfqId: params.id, id: params.invitationId }
  const { rfq } = await lockOwn(tx, caller.orgId, params.id)
  const state = stateAt(found(await queries.lockInvitation(tx, key)), now)
  requireTransition(EMAIL_INVITATION, 'revoke', state)
  const revoked = found(await queries.decide(tx, key.id, EMAIL_INVITATION.stateAfter('revoke', state), now))
  await emitRfqDetail(tx, 'emailInvitationRevoked', rfq, { emailInvitationId: key.id })
  return shownInvitation(revoked, now)
}

/** What the link of an invitation discloses. */
export async function introspectEmailInvitation(sql: Sql, token: string, now: string): Promise<EmailInvitationLink> {
  return linkOf(found(await queries.findByLink(sql, hashOf(token), now)))
}

/** Uses the link of an invitation for the caller's organization. */
export async function redeemEmailInvitation({
  tx,
  caller,
  body,
  now,
  audit,
}: CommandOf<typeof api.redeemEmailInvitation>): Promise<EmailInvitationLink> {
  const { orgId } = caller
  const { invitationId, ...link } = found(await queries.findByLink(tx, hashOf(body.token), now))
  if (link.consumerOrgId === orgId)
    throw refuse('conflict', { detail: 'Your organization itself sent the invitation.' })
  const [standing] = await queries.findStanding(tx, orgId, link.id)
  if (standing.is_invited) throw refuse('conflict', { detail: 'Your organization is already invited to this RFQ.' })
  if (!standing.is_manufacturer)
    throw refuse('conflict', { detail: 'Your organization does not have the role MANUFACTURER.' })
  if ((await queries.redeem(tx, invitationId, orgId, now)).length === 0) throw notFound()
  audit.add({ invitationId })
  await emitRfqDetail(tx, 'emailInvitationRedeemed', link, { emailInvitationId: invitationId, orgId })
  return linkOf(link)
}

const linkOf = (link: Omit<queries.LinkRow, 'invitationId'>): EmailInvitationLink => ({
  consumerName: link.consumerName,
  rfqSerialNumber: link.serialNumber,
  expireTime: link.expireTime,
})

/** The state at a time: a PENDING invitation whose time has passed counts as EXPIRED. */
const stateAt = ({ state, expires_at }: { state: EmailInvitationState; expires_at: string }, now: string) =>
  state === 'PENDING' && expires_at <= now ? EMAIL_INVITATION.verbs.expire.to : state

/** The public representation of an invitation. */
export const shownInvitation = (row: queries.InvitationRow, now: string): EmailInvitation => ({
  id: row.id,
  rfqId: row.rfq_id,
  email: row.email,
  state: stateAt(row, now),
  ...(row.redeemed_by_org_id === null ? {} : { orgId: row.redeemed_by_org_id }),
  ...(row.org_name === null ? {} : { orgName: row.org_name }),
  ...(row.org_region_code === null ? {} : { orgRegionCode: row.org_region_code }),
  createdTime: row.created_at,
  expireTime: row.expires_at,
  ...(row.redeemed_at === null ? {} : { redeemedTime: row.redeemed_at }),
  ...(row.decided_at === null ? {} : { decidedTime: row.decided_at }),
})

/** Deletes invitations that ended long ago, and with them the addresses. */
export const cleanUpEmailInvitations = (sql: Pool, now: string, signal: AbortSignal) =>
  queries.deleteEnded(sql, timeAfter(now, -KEPT_EMAIL_INVITATION_DAYS * DAY_MS), signal)
