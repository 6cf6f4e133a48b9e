import type * as api from '../../../proto/http/identity/passkeys.ts'
import {
  MAX_PASSKEYS,
  type Passkey,
  type PasskeyCreationOptions,
  type PasskeyRequestOptions,
} from '../../../proto/http/identity/passkeys.ts'
import { type AuditContext, withRequestFields } from '../../kit/audit/context.ts'
import { recordRefusal } from '../../kit/audit/record.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import type { CommandOf, PreparationOf } from '../../kit/command/command.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found, invalid, invalidField, refuse } from '../../kit/errors/refusal.ts'
import { requireMatch } from '../../kit/http/entity-tags.ts'
import { type PasswordDeps, withOwnPassword, wrongPassword } from '../passwords/commands.ts'
import { lockPassword, voidChallenges } from '../passwords/queries.ts'
import { throttleKeys } from '../throttle/keys.ts'
import { countWrong } from '../throttle/throttle.ts'
import { addPasskey, limitReached } from './additions.ts'
import { isPasswordKept, issueChallenge, spendChallenge } from './challenges.ts'
import * as queries from './queries.ts'
import { isCounterBack, type RelyingParty } from './rules.ts'
import {
  challengeIn,
  creationOptions,
  type NewCredential,
  requestOptions,
  verifiedCounter,
  verifiedCredential,
} from './webauthn.ts'

interface PasskeyDeps extends PasswordDeps {
  rp: RelyingParty
}

const ownerOf = ({ id: rpId }: RelyingParty, { orgId, userId }: Caller) => ({ rpId, orgId, userId })

/** The caller as a person who may have passkeys. */
async function requireAccount(sql: Sql, { userId }: Caller): Promise<queries.AccountRow> {
  const [account] = await queries.findAccount(sql, userId)
  if (!account) throw refuse('conflict', { detail: 'A service account has no passkeys.' })
  if (account.enforced)
    throw refuse('conflict', { detail: 'You sign in by the identity provider of your organization.' })
  return account
}

/** A challenge for the caller's passkeys, whose answer takes the place of the password. */
export async function confirm(
  { rp }: PasskeyDeps,
  { tx, caller, now, audit }: CommandOf<typeof api.confirmWithPasskey>,
): Promise<PasskeyRequestOptions> {
  const { sessionId, userId } = caller
  const { session_version: sessionVersion } = await requireAccount(tx, caller)
  const passkeys = await queries.listDescriptors(tx, ownerOf(rp, caller))
  if (passkeys.length === 0) throw refuse('conflict', { detail: 'You have no passkey yet.' })
  await queries.dropChallengesOfSession(tx, sessionId, 'CONFIRMATION')
  const { ipAddress } = audit.context
  const user = { userId, sessionVersion }
  const challenge = await issueChallenge(tx, { purpose: 'CONFIRMATION', sessionId, user, ipAddress }, now)
  return requestOptions(rp, challenge, passkeys)
}

/** The password that a person has proved, or the passkey that took its place. */
type Proved = { passwordHash: string; passkeyId?: undefined } | { passkeyId: string; passwordHash?: undefined }

/** Checks the password, or the answer of a passkey, before the transaction. */
export async function proveOneself(
  deps: PasskeyDeps,
  { caller, body: { currentPassword, assertion }, auditContext, signal }: PreparationOf<typeof api.startPasskey>,
): Promise<Proved> {
  await requireAccount(deps.sql, caller)
  if (currentPassword !== undefined)
    return withOwnPassword(deps, caller.userId, currentPassword, { auditContext, signal }, async (passwordHash) => ({
      passwordHash,
    }))
  return { passkeyId: await requireOwnPasskey(deps, caller, assertion as api.PasskeyAssertion, auditContext) }
}

/** Returns the id of the caller's passkey that gave the answer. */
async function requireOwnPasskey(
  { sql, rp, now: currentTime }: PasskeyDeps,
  { userId, orgId, sessionId }: Caller,
  assertion: api.PasskeyAssertion,
  auditContext: AuditContext,
): Promise<string> {
  const now = currentTime()
  const token = challengeIn(assertion)
  const { problem } = await spendChallenge(sql, token, { purposes: ['CONFIRMATION'], sender: { sessionId }, now })
  const [passkey] = await queries.findCredential(sql, rp.id, assertion.id)
  const isOwn = passkey?.user_id === userId
  const counter = problem || !isOwn ? undefined : await verifiedCounter(rp, token ?? '', assertion, passkey)
  const isUsed = passkey && counter !== undefined && (await queries.recordUse(sql, passkey.id, counter, now)).length > 0
  if (isUsed) return passkey.id
  // It may be copied, which is audited also while the person has to wait.
  if (isOwn && counter !== undefined && isCounterBack(Number(passkey.sign_count), counter)) {
    const refused = withRequestFields(auditContext, { passkeyId: passkey.id, reason: 'counter_went_back' })
    await recordRefusal(sql, { ...refused, actorId: userId, orgId }, 'invalid_credentials')
  }
  await countWrong(sql, throttleKeys(`passkey ${userId}`, auditContext.ipAddress), now)
  throw wrongAssertion()
}

const wrongAssertion = () => invalidField('assertion', 'is not a valid answer of one of your passkeys')

/** A challenge for a new passkey of this session. */
export async function start(
  { rp }: PasskeyDeps,
  { tx, caller, now, audit, passwordHash, passkeyId }: CommandOf<typeof api.startPasskey> & Proved,
): Promise<PasskeyCreationOptions> {
  const { sessionId, userId } = caller
  if (passwordHash !== undefined && (await lockPassword(tx, userId, passwordHash)).length === 0) throw wrongPassword()
  if (passkeyId !== undefined && (await queries.findPasskey(tx, ownerOf(rp, caller), passkeyId)).length === 0)
    throw wrongAssertion()
  const { email, session_version: sessionVersion } = await requireAccount(tx, caller)
  const passkeys = await queries.listDescriptors(tx, ownerOf(rp, caller))
  if (passkeys.length >= MAX_PASSKEYS) throw limitReached()
  await queries.dropChallengesOfSession(tx, sessionId, 'REGISTRATION')
  const { ipAddress } = audit.context
  const user = { userId, sessionVersion }
  const challenge = await issueChallenge(tx, { purpose: 'REGISTRATION', sessionId, user, ipAddress }, now)
  return creationOptions(rp, challenge, { userId, email, passkeys })
}

interface NewPasskey {
  credential: NewCredential
  challenge: queries.ChallengeRow
}

/** Checks the answer of the authenticator before the transaction, so that a refusal uses up the challenge as well. */
export async function prepareCreation(
  { sql, rp, now: currentTime }: PasskeyDeps,
  { caller: { sessionId, userId }, body, auditContext }: PreparationOf<typeof api.createPasskey>,
): Promise<NewPasskey> {
  const now = currentTime()
  const token = challengeIn(body.credential)
  const taken = await spendChallenge(sql, token, { purposes: ['REGISTRATION'], sender: { sessionId }, now })
  const { challenge } = taken
  const credential = taken.problem ? undefined : await verifiedCredential(rp, token ?? '', body.credential)
  if (challenge && credential) return { credential, challenge }
  await countWrong(sql, throttleKeys(`passkey ${userId}`, auditContext.ipAddress), now)
  throw invalidCredential()
}

const invalidCredential = () => invalid([{ field: 'credential', message: 'is not a valid answer to the challenge' }])

/** Whether each passkey of the person when the challenge was taken is still there. The organization is locked. */
async function arePasskeysKept(tx: Tx, { passkey_ids: ids }: queries.ChallengeRow): Promise<boolean> {
  const [{ count }] = await queries.countPasskeys(tx, ids)
  return count === ids.length
}

/** Adds the passkey. The organization is locked, so that two at a time do not exceed the limit. */
export async function create(
  { rp }: PasskeyDeps,
  { tx, caller, body: { name }, credential, challenge, now, audit }: CommandOf<typeof api.createPasskey> & NewPasskey,
): Promise<Passkey> {
  await requireAccount(tx, caller)
  if (!(await isPasswordKept(tx, challenge)) || !(await arePasskeysKept(tx, challenge))) throw invalidCredential()
  const { userId, orgId } = caller
  const passkey = await addPasskey(tx, rp, { orgId, userId, name, credential }, now)
  if (!passkey) throw invalidCredential()
  audit.add({ passkeyId: passkey.id })
  return passkey
}

export async function rename(
  { rp }: PasskeyDeps,
  { tx, caller, params: { id }, body, ifMatch }: CommandOf<typeof api.patchPasskey>,
): Promise<Passkey> {
  const current = withoutNulls(found(await queries.findPasskey(tx, ownerOf(rp, caller), id)))
  requireMatch(ifMatch, current)
  const { name = current.name } = body
  if (name === current.name) return current
  return withoutNulls(found(await queries.renamePasskey(tx, ownerOf(rp, caller), id, name)))
}

/**
 * Removes a passkey, and voids the challenges that it may have begun. The organization is locked, so that two at a time
 * do not remove the last ones.
 */
export async function remove(
  { rp }: PasskeyDeps,
  { tx, caller, params: { id } }: CommandOf<typeof api.deletePasskey>,
): Promise<undefined> {
  const { userId, orgId } = caller
  found(await queries.deletePasskey(tx, ownerOf(rp, caller), id))
  const left = await queries.listDescriptors(tx, ownerOf(rp, caller))
  const [account] = await queries.findAccount(tx, userId)
  if (left.length === 0 && account?.second_factor)
    throw refuse('conflict', { detail: 'Your organization requires a passkey. Add another one first.' })
  await voidChallenges(tx, userId)
  const data = { passkeyId: id, userId, orgId }
  await emit(tx, { type: 'identity.passkey.removed', tenantId: orgId, subject: id, data })
  return undefined
}
