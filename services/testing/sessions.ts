import { DAY_MS } from '../../proto/durations.ts'
import { insertGrant } from '../identity/impersonation/queries.ts'
import { createSigner, type Signer, type TokenSubject } from '../identity/keys/signer.ts'
import { insertRefreshToken, insertSession } from '../identity/tokens/queries.ts'
import { newId } from '../kit/db/ids.ts'
import { createSecretBox } from '../kit/secrets/box.ts'
import { hashOf, newSecretToken } from '../kit/secrets/tokens.ts'
import { AUDIENCE } from '../kit/service/service.ts'
import type { TestMarketplace, TestUser } from './marketplace.ts'

interface OpenSession {
  id: string
  accessToken: string
  refreshToken: string
}

const signers = new WeakMap<TestMarketplace, Promise<Signer>>()

/** Creates a session like a sign-in, without password hashing, for tests that need hundreds of sessions. */
export async function openSession(
  market: TestMarketplace,
  { userId, orgId }: TestUser,
  act?: TokenSubject['act'],
  sessionVersion = 1,
): Promise<OpenSession> {
  const sign = signers.get(market) ?? signerOf(market)
  signers.set(market, sign)
  const now = new Date().toISOString()
  const expiresAt = new Date(Date.now() + DAY_MS).toISOString()
  const id = newId('sess')
  const { token, hash } = newSecretToken()
  const sql = market.db.owner
  const UNKNOWN = { ipAddress: undefined, userAgent: undefined }
  const session = { id, userId, orgId, sessionVersion, method: 'PASSWORD', expiresAt, ...UNKNOWN } as const
  if (act) await openGrant(market, { userId, orgId }, act)
  await insertSession(sql, act ? { ...session, method: 'GRANT', grantId: act.grantId } : session, now)
  await insertRefreshToken(sql, { hash, sessionId: id, expiresAt }, now)
  return {
    id,
    refreshToken: token,
    accessToken: await (await sign)({ userId, orgId, sessionId: id, sessionVersion, act }),
  }
}

/** Creates a grant by the first administrator of the organization and returns the token of its link. */
export async function openGrant(
  market: TestMarketplace,
  { userId, orgId }: { userId: string; orgId: string },
  { grantId, actingEmail }: { grantId: string; actingEmail: string },
): Promise<string> {
  const { token, hash } = newSecretToken()
  const [grantor] = await market.db.owner<{ id: string }[]>`
    select user_id as id from organization.callers
    where org_id = ${orgId} and 'org:admin' = any(permissions) order by user_id limit 1`
  const now = new Date()
  const expiresAt = new Date(now.getTime() + DAY_MS).toISOString()
  const grant = { id: grantId, orgId, userId, actingEmail, reason: 'a test', grantedBy: grantor?.id ?? '', expiresAt }
  await insertGrant(market.db.owner, { ...grant, tokenHash: hash }, now.toISOString())
  return token
}

async function signerOf({ db, config }: TestMarketplace): Promise<Signer> {
  return createSigner({
    sql: db.owner,
    box: await createSecretBox(config.ENCRYPTION_KEYS),
    issuer: config.PUBLIC_URL,
    audience: AUDIENCE,
    accessTokenSeconds: config.ACCESS_TOKEN_SECONDS,
    clock: Date.now,
  })
}

/** Creates an activation link and returns its token. */
export async function openActivation(market: TestMarketplace, userId: string): Promise<string> {
  const { token } = newSecretToken()
  await market.db.owner`
    insert into organization.activations (token_hash, user_id, password_version, created_at, expires_at)
    select ${Buffer.from(hashOf(token))}, id, password_version, now(), now() + interval '1 hour'
    from organization.users where id = ${userId}`
  return token
}
