import { type FieldError, problem } from '../../../proto/errors.ts'
import { PASSKEY_CHALLENGE_MINUTES } from '../../../proto/http/identity/passkeys.ts'

/** What a challenge is for: no answer to one serves for another. */
export type Purpose = 'SIGN_IN' | 'SECOND_FACTOR' | 'FIRST_PASSKEY' | 'CONFIRMATION' | 'REGISTRATION'

export const CHALLENGE_MS = PASSKEY_CHALLENGE_MINUTES * 60_000

/**
 * Upper bounds of the challenges that are open: of anonymous sign-ins and as many of known people, of those in the
 * networks of one client, and of one network. Anyone can begin anonymous sign-ins, so these must not keep out people
 * who have given their password.
 */
export const MAX_CHALLENGES = { ofKind: 20_000, ofSite: 2000, ofNetwork: 200 }

/** What browsers and authenticators know the marketplace by: always the host of the public URL. */
export interface RelyingParty {
  id: string
  origin: string
}

export function relyingPartyOf(publicUrl: string): RelyingParty {
  const { hostname, origin } = new URL(publicUrl)
  return { id: hostname, origin }
}

/** People prove themselves in one way. */
export const proofProblems = (sent: { currentPassword?: string; assertion?: object }): FieldError[] =>
  (sent.currentPassword === undefined) === (sent.assertion === undefined)
    ? [problem('currentPassword', 'is required, or else assertion')]
    : []

/** A counter has to grow. Authenticators without one always send zero. */
export const isCounterBack = (stored: number, sent: number): boolean => (stored > 0 || sent > 0) && sent <= stored

/** The handle by which an authenticator names the person. */
export const handleOf = (userId: string): string => Buffer.from(userId).toString('base64url')
