import { MAX_LINKS_PER_RECIPIENT } from '../../../proto/http/organization/users.ts'
import type { Tx } from '../../kit/db/client.ts'
import { isDependencyFailure } from '../../kit/db/failures.ts'
import { isRefusalOf, refuse } from '../../kit/errors/refusal.ts'
import type { MessageLog } from '../../kit/log/log.ts'
import type { SecretBox } from '../../kit/secrets/box.ts'
import { hashOf } from '../../kit/secrets/tokens.ts'
import { envelopeAddressOf, mailboxOf } from './envelope.ts'
import {
  type ApplicantMailKind,
  countApplicantMails,
  countLinks,
  countMailsToApplicants,
  countPasskeyMails,
  type LinkCounts,
  lockRecipient,
  markMailed,
  type PasskeyMailKind,
} from './link-queries.ts'
import { sendMail } from './send.ts'

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
  sendsMail: boolean
  /** Throws 409 where it does not, and for too many links. The organization is locked. */
  send(tx: Tx, link: Link, now: string): Promise<void>
  /** The same for an applicant, who has no account yet. The mails belong to the operator's organization. */
  sendToApplicant(tx: Tx, mail: ApplicantMail, now: string): Promise<void>
  /** Tells a person about a change of passkeys, where the marketplace sends mail. */
  tell(tx: Tx, mail: { kind: PasskeyMailKind; orgId: string; userId: string }, now: string): Promise<void>
  /** Whether applicants got as many mails within an hour as all together may get, so that the others wait. */
  isApplicantShareUsed(tx: Tx, now: string): Promise<boolean>
}

/**
 * Handles a request of a stranger in a savepoint. If it cannot be handled, because its address got too many mails or
 * by a defect, which is logged, the request ends without a mail, so that it does not hold up those behind it. Failures
 * of a dependency are thrown: the request is handled again.
 */
export const handleOrEnd = (tx: Tx, log: MessageLog, handle: (tx: Tx) => Promise<void>): Promise<void> =>
  tx.savepoint(handle).catch((error) => {
    if (isDependencyFailure(error)) throw error
    if (!isRefusalOf(error, 'limit_reached')) log.error({ err: error }, 'a request ended without its mail')
  }) as Promise<void>

interface ApplicantMail {
  kind: ApplicantMailKind
  orgId: string
  registrationId: string
  email: string
  /** Of a REGISTRATION. */
  token?: string
}

/** Mails of an hour to one applicant: anyone may write any address into a registration. */
const MAX_TO_APPLICANT = 3

/** Mails of an hour that tell one person about passkeys. */
const MAX_PASSKEY_MAILS = 20

export const mailLinks = (options: { box: SecretBox; hourlyMax: number } | undefined): MailLinks => ({
  sendsMail: options !== undefined,
  async send(tx, { kind, orgId, addressId, userId, email, token }, now) {
    if (!options) throw refuse('mail_unavailable')
    const mailbox = mailboxOf(await envelopeAddressOf(email))
    const recipientHash = hashOf(mailbox)
    await lockRecipient(tx, recipientHash)
    const [counts] = await countLinks(tx, { orgId, userId, recipientHash }, now)
    const isFull =
      kind === 'FORGOTTEN' ? isFullForOwner(counts, email, mailbox) : isFullForOthers(counts, options.hourlyMax)
    if (isFull) throw refuse('limit_reached', { detail: 'Too many links were mailed within the last hour.' })
    const secret = await options.box.encrypt(token)
    const activationHash = userId === undefined || kind === 'CONFIRMATION' ? undefined : hashOf(token)
    if (activationHash) await markMailed(tx, activationHash)
    await sendMail(tx, { kind, orgId, addressId, userId, recipientHash, activationHash, secret }, now)
  },
  async tell(tx, mail, now) {
    if (!options) return
    const [sent] = await countPasskeyMails(tx, mail, now)
    if (sent && sent.to_person < MAX_PASSKEY_MAILS) await sendMail(tx, mail, now)
  },
  async isApplicantShareUsed(tx, now) {
    const [{ to_all: sent }] = await countMailsToApplicants(tx, now)
    return options !== undefined && sent >= options.hourlyMax
  },
  async sendToApplicant(tx, { kind, orgId, registrationId, email, token }, now) {
    if (!options) throw refuse('mail_unavailable')
    const recipientHash = hashOf(mailboxOf(await envelopeAddressOf(email)))
    await lockRecipient(tx, recipientHash)
    const [counts] = await countApplicantMails(tx, recipientHash, now)
    const isDecision = kind === 'REJECTION'
    if (!isDecision && counts.to_recipient >= MAX_TO_APPLICANT)
      throw refuse('limit_reached', { detail: 'Too many mails were sent to applicants within the last hour.' })
    const secret = token === undefined ? undefined : await options.box.encrypt(token)
    await sendMail(tx, { kind, orgId, registrationId, recipientHash, secret }, now)
  },
})

/**
 * Anyone may ask for a new password, so these links use up no share of others. Each user has a share of its own, but
 * users with a tag in their address, of whom there can be many, share one.
 */
function isFullForOwner(counts: LinkCounts, email: string, mailbox: string): boolean {
  const own = email.toLowerCase() === mailbox ? counts.of_user : counts.self_service
  return own >= MAX_LINKS_PER_RECIPIENT.selfService
}

const isFullForOthers = (counts: LinkCounts, hourlyMax: number): boolean =>
  counts.of_both >= MAX_LINKS_PER_RECIPIENT.ofOrganization ||
  counts.to_recipient >= MAX_LINKS_PER_RECIPIENT.ofAll ||
  counts.of_organization >= hourlyMax
