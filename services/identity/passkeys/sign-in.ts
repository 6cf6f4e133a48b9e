import { timeAt } from '../../../proto/durations.ts'
import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyRequestOptions,
} from '../../../proto/http/identity/passkeys.ts'
import type { SignInStep, SignInTokenSet } from '../../../proto/http/identity/sign-in.ts'
import { type AuditContext, withRequestFields } from '../../kit/audit/context.ts'
import type { AuditEntry } from '../../kit/audit/entry.ts'
import { lockOrganization } from '../../kit/auth/queries.ts'
import type { Tx } from '../../kit/db/client.ts'
import { refuse } from '../../kit/errors/refusal.ts'
import { newSecretToken } from '../../kit/secrets/tokens.ts'
import { lockPassword } from '../passwords/queries.ts'
import { throttleKeys } from '../throttle/keys.ts'
import { clearFailures } from '../throttle/queries.ts'
import { countWrong, refuseThrottled } from '../throttle/throttle.ts'
import { type CheckedUser, openPasswordSession, withPassword } from '../tokens/commands.ts'
import { auditFailure } from '../tokens/failures.ts'
import { openSignIn, type TokenDeps } from '../tokens/open-session.ts'
import { findUnchanged } from '../tokens/queries.ts'
import { addPasskey } from './additions.ts'
import { isPasswordKept, issueChallenge, spendChallenge } from './challenges.ts'
import * as queries from './queries.ts'
import { isCounterBack, type RelyingParty } from './rules.ts'
import { challengeIn, creationOptions, requestOptions, verifiedCounter, verifiedCredential } from './webauthn.ts'

interface SignInDeps {
  tokens: TokenDeps
  rp: RelyingParty
}

/** An answer with the token of the cookie that binds the next step to the browser. */
interface Bound<Answer> {
  answer: Answer
  browserToken?: string
}

const nowOf = ({ clock }: TokenDeps) => timeAt(clock())
const wrongPasskey = () => refuse('invalid_credentials', { detail: 'The passkey is not valid.' })
/** A challenge for any passkey. No address is known here. */
export async function startPasskeySignIn(
  { tokens, rp }: SignInDeps,
  { ipAddress }: AuditContext,
): Promise<Bound<PasskeyRequestOptions>> {
  const now = nowOf(tokens)
  // Only failures of the network count here: a pair would let one person keep all others of a network out.
  await refuseThrottled(tokens.sql, throttleKeys('passkey', ipAddress), now)
  const browser = newSecretToken()
  const issued = { purpose: 'SIGN_IN', browserHash: browser.hash, ipAddress } as const
  const challenge = await issueChallenge(tokens.sql, issued, now)
  return { answer: requestOptions(rp, challenge), browserToken: browser.token }
}

interface PasswordRequest {
  username: string
  password: string
  auditContext: AuditContext
  signal: AbortSignal
}

/** Signs in by a password, or asks for the passkey that has to follow. */
export const signInWithPassword = (
  deps: SignInDeps,
  { username, password, auditContext, signal }: PasswordRequest,
): Promise<Bound<SignInStep>> =>
  withPassword(deps.tokens, { username, password }, { auditContext, signal, isFirstStep: true }, async (checked) => {
    if (checked.user.second_factor) return askForPasskey(deps, checked, auditContext)
    const tokens = await openPasswordSession(deps.tokens, checked, auditContext)
    return { answer: { tokens: { ...tokens, email: checked.user.email } } }
  })

/** The challenge after a right password. A password that changes meanwhile voids it. */
function askForPasskey(
  { tokens, rp }: SignInDeps,
  { user, passwordHash, keys }: CheckedUser,
  { ipAddress }: AuditContext,
): Promise<Bound<SignInStep>> {
  const { user_id: userId, org_id: orgId, session_version: sessionVersion, email } = user
  const now = nowOf(tokens)
  return tokens.sql.begin(async (tx) => {
    if ((await lockPassword(tx, userId, passwordHash)).length === 0) throw wrongPasskey()
    await clearFailures(tx, keys)
    const passkeys = await queries.listDescriptors(tx, { rpId: rp.id, orgId, userId })
    const isFirst = passkeys.length === 0
    const browser = newSecretToken()
    const purpose = isFirst ? 'FIRST_PASSKEY' : 'SECOND_FACTOR'
    const issued = { purpose, browserHash: browser.hash, user: { userId, sessionVersion }, ipAddress } as const
    const challenge = await issueChallenge(tx, issued, now)
    const answer: SignInStep = isFirst
      ? { firstPasskey: creationOptions(rp, challenge, { userId, email, passkeys }) }
      : { passkey: requestOptions(rp, challenge, passkeys) }
    return { answer, browserToken: browser.token }
  }) as Promise<Bound<SignInStep>>
}

interface Failure {
  /** Undefined for an unknown passkey. */
  user: { user_id: string; org_id: string } | undefined
  auditContext: AuditContext
  reason: string
}

/**
 * Counts a failure like a wrong password and audits it, except while the person has to wait. An authenticator that may
 * be copied is audited also then. A right answer is never throttled.
 */
async function refuseAnswer({ tokens }: SignInDeps, { user, auditContext, reason }: Failure): Promise<never> {
  const { sql } = tokens
  const now = nowOf(tokens)
  const keys = throttleKeys(`passkey ${user?.user_id ?? ''}`, auditContext.ipAddress)
  const failed = {
    user,
    auditContext: withRequestFields(auditContext, { reason }),
    code: 'invalid_credentials' as const,
  }
  const isCopied = reason === 'counter_went_back'
  if (isCopied) await auditFailure(sql, failed, now)
  await countWrong(sql, keys, now)
  if (!isCopied) await auditFailure(sql, failed, now)
  throw wrongPasskey()
}

interface Answered<Content> {
  content: Content
  browserToken: string | undefined
  auditContext: AuditContext
}

/** Signs in by a passkey alone, which is two factors, or as the second factor after the password. */
export async function signInWithPasskey(
  deps: SignInDeps,
  { content: assertion, browserToken, auditContext: received }: Answered<PasskeyAssertion>,
): Promise<SignInTokenSet> {
  const { tokens, rp } = deps
  const { sql } = tokens
  const token = challengeIn(assertion)
  const purposes = ['SIGN_IN', 'SECOND_FACTOR'] as const
  const { challenge, problem } = await spendChallenge(sql, token, {
    purposes,
    sender: { browserToken },
    now: nowOf(tokens),
  })
  const [passkey] = await queries.findCredential(sql, rp.id, assertion.id)
  const [account] = await queries.findAccount(sql, challenge?.user_id ?? passkey?.user_id ?? '')
  const auditContext = passkey ? withRequestFields(received, { passkeyId: passkey.id }) : received
  const refuseFor = (reason: string) => refuseAnswer(deps, { user: account, auditContext, reason })
  if (problem !== undefined) return refuseFor(problem)
  if (!passkey || !account) return refuseFor('passkey_unknown')
  if (account.user_id !== passkey.user_id) return refuseFor('other_user')
  const counter = await verifiedCounter(rp, token ?? '', assertion, passkey)
  if (counter === undefined) return refuseFor('not_verified')
  if (isCounterBack(Number(passkey.sign_count), counter)) return refuseFor('counter_went_back')
  if (account.enforced) return refuseFor('identity_provider_enforced')
  if (!account.active) return refuseFor('user_inactive')
  const user = { ...account, session_version: challenge.session_version ?? account.session_version }
  const within = async (tx: Tx, now: string) => {
    if (!(await isPasswordKept(tx, challenge))) throw wrongPasskey()
    // Another use may have been counted since, or the passkey was removed.
    if ((await queries.recordUse(tx, passkey.id, counter, now)).length === 0) throw wrongPasskey()
  }
  return openSignIn(tokens, user, { method: 'PASSKEY', auditContext, within }, refuseFor)
}

/** Registers the first passkey of a person who needs one, after the password, and signs in. */
export async function signInWithFirstPasskey(
  deps: SignInDeps,
  {
    content: { name, credential: answer },
    browserToken,
    auditContext,
  }: Answered<{ name: string; credential: PasskeyAttestation }>,
): Promise<SignInTokenSet> {
  const { tokens, rp } = deps
  const { sql } = tokens
  const token = challengeIn(answer)
  const sender = { browserToken }
  const used = await spendChallenge(sql, token, { purposes: ['FIRST_PASSKEY'], sender, now: nowOf(tokens) })
  const [account] = await queries.findAccount(sql, used.challenge?.user_id ?? '')
  const refuseFor = (reason: string) => refuseAnswer(deps, { user: account, auditContext, reason })
  if (used.problem !== undefined) return refuseFor(used.problem)
  const credential = await verifiedCredential(rp, token ?? '', answer)
  if (!credential) return refuseFor('not_verified')
  if (!account) return refuseFor('passkey_unknown')
  if (account.enforced) return refuseFor('identity_provider_enforced')
  if (!account.active) return refuseFor('user_inactive')
  const { user_id: userId, org_id: orgId } = account
  const user = { ...account, session_version: used.challenge.session_version ?? account.session_version }
  const within = async (tx: Tx, now: string, audit: AuditEntry) => {
    await lockOrganization(tx, orgId)
    // A reset while this waited for the lock has voided the challenge.
    if ((await findUnchanged(tx, userId, user.session_version)).length === 0) throw wrongPasskey()
    if (!(await isPasswordKept(tx, used.challenge))) throw wrongPasskey()
    // The password alone adds no passkey to those that a person has.
    if ((await queries.listDescriptors(tx, { rpId: rp.id, orgId, userId })).length > 0) throw wrongPasskey()
    const passkey = await addPasskey(tx, rp, { orgId, userId, name, credential, lastUsedAt: now }, now)
    if (!passkey) throw wrongPasskey()
    audit.add({ passkeyId: passkey.id, signIn: true })
  }
  return openSignIn(tokens, user, { method: 'PASSKEY', auditContext, within }, refuseFor)
}
