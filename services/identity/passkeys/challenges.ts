import { timingSafeEqual } from 'node:crypto'
import { timeAfter } from '../../../proto/durations.ts'
import type { Pool, Sql, Tx } from '../../kit/db/client.ts'
import { refuse } from '../../kit/errors/refusal.ts'
import { networkOf } from '../../kit/http/client-address.ts'
import { hashOf, newSecretToken } from '../../kit/secrets/tokens.ts'
import { lockPassword } from '../passwords/queries.ts'
import { type ChallengeRow, insertChallenge, type NewChallenge, takeChallenge } from './queries.ts'
import { CHALLENGE_MS, type Purpose } from './rules.ts'

type Issued = Omit<NewChallenge, 'hash' | 'network' | 'expiresAt'> & { ipAddress: string | undefined }

/** Stores a new challenge and returns it. Only its hash is kept. */
export async function issueChallenge(sql: Sql, { ipAddress, ...issued }: Issued, now: string): Promise<string> {
  const { token, hash } = newSecretToken()
  const expiresAt = timeAfter(now, CHALLENGE_MS)
  const stored = await insertChallenge(sql, { ...issued, hash, network: networkOf(ipAddress), expiresAt }, now)
  if (stored.length === 0) throw refuse('rate_limited', { headers: { 'retry-after': '60' } })
  return token
}

/** Whom an answer comes from: the cookie of a browser that signs in, or a session. */
export interface Sender {
  browserToken?: string | undefined
  sessionId?: string
}

/** A taken challenge, or why it is refused. */
type Taken = { challenge: ChallengeRow; problem?: undefined } | { challenge?: ChallengeRow; problem: string }

/** Uses up the challenge of an answer, which must have one of these purposes and belong to the sender. */
export async function spendChallenge(
  sql: Pool,
  token: string | undefined,
  { purposes, sender, now }: { purposes: readonly Purpose[]; sender: Sender; now: string },
): Promise<Taken> {
  const [challenge] = token === undefined ? [] : await takeChallenge(sql, hashOf(token), now)
  if (!challenge) return { problem: 'challenge_unknown' }
  if (!isOf(challenge, sender)) return { challenge, problem: 'other_browser' }
  return purposes.includes(challenge.purpose) ? { challenge } : { challenge, problem: 'other_purpose' }
}

function isOf({ browser_hash, session_id }: ChallengeRow, { browserToken, sessionId }: Sender): boolean {
  if (browser_hash === null) return session_id === sessionId
  return browserToken !== undefined && timingSafeEqual(hashOf(browserToken), browser_hash)
}

/** Whether the password of the person is the one from when the challenge was taken, and locks it. */
export async function isPasswordKept(tx: Tx, { user_id: userId, password_hash: hash }: ChallengeRow): Promise<boolean> {
  return userId === null || hash === null || (await lockPassword(tx, userId, hash)).length > 0
}
