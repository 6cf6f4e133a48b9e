import { timeAt } from '../../../proto/durations.ts'
import type * as api from '../../../proto/http/identity/impersonation.ts'
import type { ImpersonationGrant } from '../../../proto/http/identity/impersonation.ts'
import { noSuch } from '../../../proto/messages.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import { grantorHasAuthority, missingEffectivePermissions } from '../../kit/auth/grantors.ts'
import type { CommandOf } from '../../kit/command/command.ts'
import { runWithoutCaller } from '../../kit/command/without-caller.ts'
import type { Tx } from '../../kit/db/client.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { withoutNulls } from '../../kit/db/rows.ts'
import { found, invalidField, refuse } from '../../kit/errors/refusal.ts'
import { hashOf, newSecretToken } from '../../kit/secrets/tokens.ts'
import { endSessions } from '../sessions/commands.ts'
import { throttleKeys } from '../throttle/keys.ts'
import { refuseWrongToken } from '../throttle/throttle.ts'
import { type TokenDeps, tokensOf } from '../tokens/open-session.ts'
import { insertRefreshToken, insertSession } from '../tokens/queries.ts'
import {
  findGrant,
  findRedeemable,
  findUser,
  insertGrant,
  insertUsedGrant,
  listSessionsUnder,
  markRedeemed,
  markRevoked,
} from './queries.ts'
import { expiryOf } from './rules.ts'

/** Creates a grant to act as a user of the caller's organization. The link is returned once and stored as a hash. */
export async function createGrant(
  { publicUrl }: { publicUrl: string },
  { tx, caller, body, now }: CommandOf<typeof api.createImpersonationGrant>,
) {
  const expiresAt = expiryOf(body.expireTime, Date.parse(now))
  if (!expiresAt) throw invalidField('expireTime', 'must lie within the next 24 hours')
  const { userId, actingEmail, reason } = body
  const [user] = await findUser(tx, caller.orgId, userId)
  if (!user) throw invalidField('userId', noSuch('user', userId, 'in your organization'))
  const missing = missingEffectivePermissions(caller.permissions, user)
  if (missing.length > 0) throw refuse('forbidden', { detail: `You do not hold ${missing.join(', ')}.` })
  if (!user.active) throw refuse('conflict', { errors: [{ field: 'userId', message: 'is a deactivated user' }] })
  const { token, hash } = newSecretToken()
  const content = { userId, actingEmail, reason, expiresAt, grantedBy: caller.userId }
  const [grant] = await insertGrant(
    tx,
    { id: newIdAt('grant', now), orgId: caller.orgId, tokenHash: hash, ...content },
    now,
  )
  return { ...withoutNulls(grant), url: `${publicUrl}/impersonate#${token}` }
}

interface OperatorGrant {
  orgId: string
  userId: string
  actingEmail: string
  reason: string
}

/**
 * Records an act of the operator's command line as an impersonation: a grant that is immediately redeemed and revoked.
 */
export async function recordOperatorGrant(tx: Tx, grant: OperatorGrant, now: string): Promise<string> {
  const id = newIdAt('grant', now)
  await insertUsedGrant(tx, { ...grant, id, tokenHash: newSecretToken().hash }, now)
  return id
}

/** Opens the session of a grant. Invalid links, and those whose grantor lost the authority, are the same 404. */
export async function redeemGrant(tokens: TokenDeps, token: string, auditContext: AuditContext) {
  const { sql, clock } = tokens
  const nowMs = clock()
  const now = timeAt(nowMs)
  const refreshToken = newSecretToken()
  const session = await runWithoutCaller(sql, auditContext, async (tx, audit) => {
    const [grant] = await findRedeemable(tx, hashOf(token), now)
    if (!grant || !grantorHasAuthority(grant)) return undefined
    const subject = {
      userId: grant.user_id,
      orgId: grant.org_id,
      sessionId: newIdAt('sess', now),
      sessionVersion: grant.session_version,
    }
    const { ipAddress, userAgent } = auditContext
    const opened = { ...subject, id: subject.sessionId, expiresAt: grant.expires_at, ipAddress, userAgent }
    await markRedeemed(tx, grant.id, ipAddress, now)
    await insertSession(tx, { ...opened, method: 'GRANT', grantId: grant.id }, now)
    const stored = { hash: refreshToken.hash, sessionId: subject.sessionId, expiresAt: grant.expires_at }
    await insertRefreshToken(tx, stored, now)
    audit.actBy({ ...subject, grantId: grant.id })
    return { ...subject, act: { actingEmail: grant.acting_email, grantId: grant.id }, endsAt: grant.expires_at }
  })
  if (session) return tokensOf(tokens, session, refreshToken.token)
  return refuseWrongToken(sql, throttleKeys('impersonation', auditContext.ipAddress), now)
}

/** Revokes the grant and ends its session, in one transaction with the events. */
export async function revokeGrant({
  tx,
  caller: { orgId },
  params: { id },
  now,
}: CommandOf<typeof api.revokeImpersonationGrant>): Promise<ImpersonationGrant> {
  const [grant] = await markRevoked(tx, orgId, id, now)
  if (!grant) {
    found(await findGrant(tx, orgId, id))
    throw refuse('illegal_transition', { detail: 'The grant has already been revoked.' })
  }
  const sessions = await listSessionsUnder(tx, id)
  await endSessions(
    tx,
    orgId,
    sessions.map((session) => session.id),
    now,
  )
  return withoutNulls(grant)
}
