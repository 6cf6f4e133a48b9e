import { DAY_MS, HOUR_MS, MINUTE_MS, pauseOf } from '../../../proto/durations.ts'
import type { NoticeKind } from './rules.ts'

/** The kind of the jobs of mails. A job has the id of its mail. */
export const MAIL = 'mail'

/** Items of a mail; further ones are counted. */
export const MAX_ITEMS = 50

/** A mail lists these kinds once for each offer, question or expense, and every other kind once for each record. */
export const REPEATABLE_KINDS: readonly NoticeKind[] = [
  'offered',
  'offerReconfirmed',
  'offerWithdrawn',
  'offerExpired',
  'ownOfferExpired',
  'declined',
  'questionAsked',
  'expenseApproved',
  'expenseRejected',
]

/** Administrators who are notified for an organization. */
export const MAX_ADMINISTRATORS = 10

/** Pauses after a failed attempt; the last one repeats until the mail expires. */
const PAUSES_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 4 * HOUR_MS] as const

/** The pause after a failed attempt, up to a fifth longer. */
export const pauseAfter = (attempt: number, random: number): number =>
  Math.round(pauseOf(PAUSES_MS, attempt) * (1 + random / 5))

/** Time after which a mail is given up. An encryption key can be removed a day after its replacement. */
export const MAIL_EXPIRY_MS = DAY_MS
