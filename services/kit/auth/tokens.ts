import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose'
import { refuse } from '../errors/refusal.ts'

/** What a valid access token says, and no more than that: RFC 9068 claims with our session and organization. */
export interface Claims {
  userId: string
  orgId: string
  sessionId: string
  issuedAtMs: number
  expiresAtMs: number
  act?: { actingEmail: string; grantId: string }
}

export interface TokenOptions {
  issuer: string
  audience: string
  /** Reads the public keys that may have signed a live token. */
  loadKeys(): Promise<JSONWebKeySet>
}

const CLOCK_SKEW_SECONDS = 5
/** An unknown key id makes us read the keys again, but no more often than this: anybody can make key ids up. */
const MIN_RELOAD_INTERVAL_MS = 1000

export const unauthorized = (detail = 'Send a valid bearer token.') => refuse('unauthorized', { detail })

/** Verifies access tokens: ES256 and `at+jwt` alone, keys from our own set only, whatever the header suggests. */
export function createTokenVerifier({ issuer, audience, loadKeys }: TokenOptions) {
  let keys: ReturnType<typeof createLocalJWKSet> | undefined
  let loadedAtMs = Number.NEGATIVE_INFINITY
  let loading: Promise<void> | undefined

  const reload = () => {
    loading ??= loadKeys()
      .then((set) => {
        keys = createLocalJWKSet(set)
        loadedAtMs = performance.now()
      })
      .finally(() => {
        loading = undefined
      })
    return loading
  }

  const attempt = async (token: string): Promise<Claims> => {
    if (!keys) await reload()
    const { payload } = await jwtVerify(token, keys as NonNullable<typeof keys>, {
      algorithms: ['ES256'],
      typ: 'at+jwt',
      issuer,
      audience,
      requiredClaims: ['sub', 'sid', 'jti', 'org', 'iat', 'exp'],
      clockTolerance: CLOCK_SKEW_SECONDS,
    })
    return claimsOf(payload)
  }

  return async (token: string): Promise<Claims> => {
    try {
      return await attempt(token)
    } catch (error) {
      const unknownKey = error instanceof errors.JWKSNoMatchingKey
      if (unknownKey && performance.now() - loadedAtMs > MIN_RELOAD_INTERVAL_MS) {
        await reload()
        return attempt(token).catch(refuseForged)
      }
      return refuseForged(error)
    }
  }
}

/** Whatever is wrong with a token is told in one way; what is wrong with our database is not the token's fault. */
function refuseForged(error: unknown): never {
  if (error instanceof errors.JOSEError || error instanceof TypeError) throw unauthorized()
  throw error
}

function claimsOf(payload: Record<string, unknown>): Claims {
  const { sub, org, sid, iat, exp, act } = payload
  if (typeof sub !== 'string' || typeof org !== 'string' || typeof sid !== 'string') throw unauthorized()
  const times = { issuedAtMs: Number(iat) * 1000, expiresAtMs: Number(exp) * 1000 }
  if (act === undefined) return { userId: sub, orgId: org, sessionId: sid, ...times }
  const { sub: actingEmail, grant } = (act ?? {}) as Record<string, unknown>
  if (typeof actingEmail !== 'string' || typeof grant !== 'string') throw unauthorized()
  return { userId: sub, orgId: org, sessionId: sid, ...times, act: { actingEmail, grantId: grant } }
}

const ANY_AGE_SECONDS = 100 * 365 * 24 * 60 * 60

/** Reads whose token one of ours is, expired or not: for ending its session. Undefined for anything else. */
export function createTokenReader(loadKeys: TokenOptions['loadKeys']) {
  return async (token: string): Promise<{ sessionId: string; userId: string } | undefined> => {
    if (token.split('.').length !== 3) return undefined
    const keys = createLocalJWKSet(await loadKeys())
    const options = { algorithms: ['ES256'], typ: 'at+jwt', clockTolerance: ANY_AGE_SECONDS }
    const payload = await jwtVerify(token, keys, options)
      .then((result) => result.payload)
      .catch(() => undefined)
    const { sid, sub } = payload ?? {}
    return typeof sid === 'string' && typeof sub === 'string' ? { sessionId: sid, userId: sub } : undefined
  }
}
