import { MAX_LINKS_PER_RECIPIENT } from '../../../proto/http/organization/users.ts'
import type { Tx } from '../../kit/db/client.ts'
import { hashOf, newId } from '../../kit/db/ids.ts'
import { refuse } from '../../kit/errors/refusal.ts'
import type { SecretBox } from '../../kit/secrets/box.ts'
import { envelopeAddressOf, mailboxOf } from './envelope.ts'
import { countLinks, insertLinkMail, lockRecipient } from './queries.ts'
import { MAIL_EXPIRY_MS } from './rules.ts'

interface Link {
  kind: 'CONFIRMATION' | 'INVITATION' | 'RESET' | 'FORGOTTEN'
  orgId: string
  addressId?: string
  userId?: string
  email: string
  token: string
}

/** Sends links by mail, where the marketplace sends mail. */
export interface MailLinks {
  /** Throws 409 where it does not, and for too many links. The organization is locked. */
  send(tx: Tx, link: Link, now: string): Promise<void>
}

export const mailLinks = (options: { box: SecretBox; hourlyMax: number } | undefined): MailLinks => ({
  async send(tx, { kind, orgId, addressId = null, userId = null, email, token }, now) {
    if (!options) throw refuse('mail_unavailable')
    const recipientHash = hashOf(mailboxOf(await envelopeAddressOf(email)))
    await lockRecipient(tx, recipientHash)
    const [counts] = await countLinks(tx, orgId, recipientHash, now)
    const { ofOrganization, selfService, ofAll } = MAX_LINKS_PER_RECIPIENT
    // Anyone may ask for a new password, so these links use up neither the organization's share nor its hourly limit.
    const isFull =
      kind === 'FORGOTTEN'
        ? counts.self_service >= selfService
        : counts.of_both >= ofOrganization || counts.of_organization >= options.hourlyMax
    if (isFull || counts.to_recipient >= ofAll) {
      throw refuse('limit_reached', { detail: 'Too many links were sent by mail within an hour.' })
    }
    const secret = await options.box.encrypt(token)
    const expiresAt = new Date(Date.parse(now) + MAIL_EXPIRY_MS).toISOString()
    const hashes = { recipientHash, activationHash: userId === null ? null : hashOf(token) }
    await insertLinkMail(tx, { id: newId('mail'), orgId, kind, addressId, userId, secret, expiresAt, ...hashes }, now)
  },
})
