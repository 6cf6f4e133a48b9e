import { importPKCS8, type JWTPayload, SignJWT } from 'jose'
import { timeAt } from '../../../proto/durations.ts'
import type { Pool } from '../../kit/db/client.ts'
import { unavailable } from '../../kit/errors/refusal.ts'
import type { SecretBox } from '../../kit/secrets/box.ts'
import { findSigningKey } from './queries.ts'

export interface TokenSubject {
  userId: string
  orgId: string
  sessionId: string
  /** The user's version when the session began. */
  sessionVersion: number
  /** The key of a service account. */
  clientId?: string
  /** The acting person and the grant, during an impersonation. */
  act?: { actingEmail: string; grantId: string } | undefined
}

interface SignerOptions {
  sql: Pool
  box: SecretBox
  issuer: string
  audience: string
  accessTokenSeconds: number
  clock: () => number
}

/** The client of people, because RFC 9068 requires the claim. Its tokens belong to sessions. */
const PEOPLE = 'marketplace'
const KEY_CACHE_MS = 15_000

/** Signs access tokens (RFC 9068) with the current key. */
export function createSigner({ sql, box, issuer, audience, accessTokenSeconds, clock }: SignerOptions) {
  let current: { kid: string; key: CryptoKey; readAtMs: number } | undefined
  /** Grows when the key is forgotten, so that a read which began before is not kept. */
  let generation = 0

  const signingKey = async () => {
    const nowMs = clock()
    const readIn = generation
    if (current && nowMs - current.readAtMs < KEY_CACHE_MS) return current
    const [row] = await findSigningKey(sql, timeAt(nowMs))
    if (!row) throw unavailable('signing key', 'No signing key is in place yet.')
    const same = current?.kid === row.kid ? current : undefined
    const key = same?.key ?? (await importPKCS8(await box.decrypt(row.private_key), 'ES256'))
    const read = { kid: row.kid, key, readAtMs: nowMs }
    if (readIn === generation) current = read
    return read
  }

  const sign = async (
    { userId, orgId, sessionId, sessionVersion, clientId, act }: TokenSubject,
    seconds = accessTokenSeconds,
  ): Promise<string> => {
    const { kid, key } = await signingKey()
    const issuedAt = Math.floor(clock() / 1000)
    const claims: JWTPayload = {
      org: orgId,
      sid: sessionId,
      session_version: sessionVersion,
      iat: issuedAt,
      client_id: clientId ?? PEOPLE,
      ...(act ? { act: { sub: act.actingEmail, grant: act.grantId } } : {}),
    }
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(userId)
      .setJti(crypto.randomUUID())
      .setExpirationTime(issuedAt + seconds)
      .sign(key)
  }

  const forgetKey = () => {
    current = undefined
    generation++
  }

  return Object.assign(sign, {
    /** Makes the next signature read the current key, because the cached one may have been revoked. */
    forgetKey,
  })
}

export type Signer = ReturnType<typeof createSigner>
