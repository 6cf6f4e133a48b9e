import { HOUR_MS, timeAfter } from '../../../proto/durations.ts'
import type { Tx } from '../../kit/db/client.ts'
import type { SecretBox } from '../../kit/secrets/box.ts'
import { hashOf, newSecretToken } from '../../kit/secrets/tokens.ts'
import type { Kit } from '../../kit/service/service.ts'
import type { Worker } from '../../kit/worker/worker.ts'
import { envelopeAddressOf, mailboxOf } from './envelope.ts'
import { countInvitationMails, findInvitations, insertLink } from './invitation-queries.ts'
import { lockRecipient } from './link-queries.ts'
import { sendMail } from './send.ts'

export const INVITATION_CONSUMER = 'email-invitations'

/** Invitations to one recipient in 24 hours, of one organization and of all. Further ones are not mailed. */
const MAX_TO_RECIPIENT = { ofOrganization: 3, ofAll: 24 }
/** Invitations to one recipient in an hour. Further ones wait, so that no organization can suppress those of others. */
const MAX_AN_HOUR = 3

/** Mails a link to each address that is invited to an RFQ. */
export const invitationMailer = ({ bus, box, now }: Pick<Kit, 'bus' | 'box' | 'now'>): Worker =>
  bus.consume({
    name: INVITATION_CONSUMER,
    subjects: ['sourcing.rfq.emailInvited'],
    async handle(tx, event) {
      const { emailInvitationIds } = event.data
      for (const invitation of await findInvitations(tx, emailInvitationIds)) await mailLink(tx, box, invitation, now())
    },
  })

async function mailLink(
  tx: Tx,
  box: SecretBox,
  { id: emailInvitationId, orgId, email, expireTime }: Awaited<ReturnType<typeof findInvitations>>[number],
  now: string,
): Promise<void> {
  const recipientHash = hashOf(mailboxOf(await envelopeAddressOf(email)))
  await lockRecipient(tx, recipientHash)
  const [sent] = await countInvitationMails(tx, { orgId, recipientHash }, now)
  if (sent.of_organization >= MAX_TO_RECIPIENT.ofOrganization || sent.of_all >= MAX_TO_RECIPIENT.ofAll) return
  const { token, hash } = newSecretToken()
  // An event that is delivered twice makes one link.
  if ((await insertLink(tx, { hash, emailInvitationId, expireTime })).length === 0) return
  const secret = await box.encrypt(token)
  const dueAt = timeAfter(now, Math.floor(sent.of_all / MAX_AN_HOUR) * HOUR_MS)
  await sendMail(tx, { kind: 'RFQ_INVITATION', orgId, emailInvitationId, recipientHash, secret, dueAt }, now)
}
