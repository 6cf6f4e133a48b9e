import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose'
import { refuse } from '../errors/refusal.ts'

/** The claims of an access token (RFC 9068), with the session and organization of the user. */
export interface Claims {
  userId: string
  orgId: string
  sessionId: string
  /** The user's version when the session began. */
  sessionVersion: number
  expiresAtMs: number
  act?: { actingEmail: string; grantId: string }
}

interface TokenOptions {
  issuer: string
  audience: string
  /** Loads the public keys that may have signed an unexpired token. */
  loadKeys(): Promise<JSONWebKeySet>
}

const CLOCK_SKEW_SECONDS = 5
/** An unknown key id reloads the keys, at most once in this interval because key ids can be forged. */
const MIN_RELOAD_INTERVAL_MS = 1000

export const unauthorized = (detail = 'Send a valid bearer token.') => refuse('unauthorized', { detail })

/** Verifies access tokens: ES256 and `at+jwt` only, with our own keys. Key references in the header are ignored. */
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

  const verifyOnce = async (token: string): Promise<Claims> => {
    if (!keys) await reload()
    const { payload } = await jwtVerify(token, keys as NonNullable<typeof keys>, {
      algorithms: ['ES256'],
      typ: 'at+jwt',
      issuer,
      audience,
      requiredClaims: ['sub', 'sid', 'jti', 'session_version', 'org', 'iat', 'exp'],
      clockTolerance: CLOCK_SKEW_SECONDS,
    })
    return claimsOf(payload)
  }

  return async (token: string): Promise<Claims> => {
    try {
      return await verifyOnce(token)
    } catch (error) {
      const unknownKey = error instanceof errors.JWKSNoMatchingKey
      if (unknownKey && performance.now() - loadedAtMs > MIN_RELOAD_INTERVAL_MS) {
        await reload()
        return verifyOnce(token).catch(refuseInvalid)
      }
      return refuseInvalid(error)
    }
  }
}

/** Every invalid token is the same 401. Other errors, such as a failed database, pass through. */
function refuseInvalid(error: unknown): never {
  if (error instanceof errors.JOSEError || error instanceof TypeError) throw unauthorized()
  throw error
}

function claimsOf(payload: Record<string, unknown>): Claims {
  const { sub, org, sid, session_version, exp, act } = payload
  if (typeof sub !== 'string' || typeof org !== 'string' || typeof sid !== 'string') throw unauthorized()
  const session = { sessionId: sid, sessionVersion: Number(session_version), expiresAtMs: Number(exp) * 1000 }
  if (act === undefined) return { userId: sub, orgId: org, ...session }
  const { sub: actingEmail, grant } = (act ?? {}) as Record<string, unknown>
  if (typeof actingEmail !== 'string' || typeof grant !== 'string') throw unauthorized()
  return { userId: sub, orgId: org, ...session, act: { actingEmail, grantId: grant } }
}

const ANY_AGE_SECONDS = 100 * 365 * 24 * 60 * 60

/** Reads session and user of a token that we signed, expired or not. Undefined for any other text. */
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
