import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose'
import { shared } from '../answers/shared.ts'
import { refuse } from '../errors/refusal.ts'

/** The claims of an access token (RFC 9068), with the session and organization of the user. */
export interface Claims {
  /** The key that signed the token. */
  keyId: string
  userId: string
  orgId: string
  sessionId: string
  /** The user's version when the session began. */
  sessionVersion: number
  expiresAtMs: number
  /** The id (`jti`) of a service account's token, which can be revoked by itself. Its session is the key. */
  clientTokenId?: string
  act?: { actingEmail: string; grantId: string }
}

interface TokenOptions {
  issuer: string
  audience: string
  /** Loads the public keys that may have signed an unexpired token. */
  loadKeys(): Promise<JSONWebKeySet>
  clock: () => number
}

/** Accepted difference between the clocks of two replicas. */
export const CLOCK_SKEW_SECONDS = 5
/** An unknown key id reloads the keys, at most once in this interval because key ids can be forged. */
const MIN_RELOAD_INTERVAL_MS = 1000
/** After this time the keys are loaded again, so that a retired key is dropped within a minute. */
const MAX_KEYS_AGE_MS = 30_000

/** A token of an ended session is `invalid`, like one with a wrong signature, so that the two are indistinguishable. */
const TOKEN_PROBLEMS = {
  missing: 'Send an access token with its scheme: `Authorization: Bearer <token>`.',
  malformed: 'The access token is malformed.',
  expired: 'The access token has expired.',
  invalid: 'The access token is not valid.',
}

/** The 401 response with the challenge of RFC 6750, which names no error if no token was sent. */
export function unauthorized(problem: keyof typeof TOKEN_PROBLEMS = 'invalid') {
  const detail = TOKEN_PROBLEMS[problem]
  const challenge = problem === 'missing' ? 'Bearer' : `Bearer error="invalid_token", error_description="${detail}"`
  return refuse('unauthorized', { detail, headers: { 'www-authenticate': challenge } })
}

type KeySet = ReturnType<typeof createLocalJWKSet>

/**
 * Verifies access tokens: ES256 and `at+jwt` only, with our own keys. Key references in the header are ignored. The
 * keys are loaded again at intervals and after `expire`, so that a token of a retired or revoked key is refused.
 */
export class TokenVerifier {
  readonly #options: TokenOptions
  #keys: KeySet | undefined
  #keyIds: ReadonlySet<string> = new Set()
  #loadedAtMs = Number.NEGATIVE_INFINITY
  /** Incremented by `expire`, so that a load that started before it does not count as current. */
  #generation = 0

  constructor(options: TokenOptions) {
    this.#options = options
  }

  /** Whether a token that this key signed is known to be valid. False also if the keys have to be loaded first. */
  accepts(keyId: string): boolean {
    return this.#isCurrent() && this.#keyIds.has(keyId)
  }

  /** Makes the next verification load the keys. */
  expire(): void {
    this.#generation++
    this.#loadedAtMs = Number.NEGATIVE_INFINITY
  }

  async verify(token: string): Promise<Claims> {
    while (!this.#isCurrent()) await this.#reload()
    try {
      return await this.#verifyOnce(token)
    } catch (error) {
      const isUnknownKey = error instanceof errors.JWKSNoMatchingKey
      if (!isUnknownKey || this.#ageMs() <= MIN_RELOAD_INTERVAL_MS) return refuseInvalid(error)
    }
    await this.#reload()
    return this.#verifyOnce(token).catch(refuseInvalid)
  }

  async #verifyOnce(token: string): Promise<Claims> {
    const { issuer, audience } = this.#options
    const { payload, protectedHeader } = await jwtVerify(token, this.#keys as KeySet, {
      algorithms: ['ES256'],
      typ: 'at+jwt',
      issuer,
      audience,
      requiredClaims: ['sub', 'sid', 'jti', 'session_version', 'org', 'iat', 'exp'],
      clockTolerance: CLOCK_SKEW_SECONDS,
    })
    return { ...claimsOf(payload), keyId: protectedHeader.kid ?? '' }
  }

  #reload = shared(async () => {
    const generation = this.#generation
    const set = await this.#options.loadKeys()
    if (generation !== this.#generation) return
    this.#keys = createLocalJWKSet(set)
    this.#keyIds = new Set(set.keys.map(({ kid }) => kid ?? ''))
    this.#loadedAtMs = this.#options.clock()
  })

  #ageMs = () => this.#options.clock() - this.#loadedAtMs

  #isCurrent(): boolean {
    const ageMs = this.#ageMs()
    return ageMs >= 0 && ageMs <= MAX_KEYS_AGE_MS
  }
}

/** Other errors than those of the token, such as a failed database, pass through. */
function refuseInvalid(error: unknown): never {
  if (error instanceof errors.JWTExpired) throw unauthorized('expired')
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) throw unauthorized('malformed')
  if (error instanceof errors.JOSEError || error instanceof TypeError) throw unauthorized()
  throw error
}

function claimsOf(payload: Record<string, unknown>): Omit<Claims, 'keyId'> {
  const { sub, org, sid, session_version, exp, client_id, jti, act } = payload
  if (typeof sub !== 'string' || typeof org !== 'string' || typeof sid !== 'string') throw unauthorized()
  if (typeof session_version !== 'number' || typeof jti !== 'string') throw unauthorized()
  const session = { sessionId: sid, sessionVersion: session_version, expiresAtMs: Number(exp) * 1000 }
  if (act === undefined) {
    // The session of a service account's token is its key.
    return { userId: sub, orgId: org, ...session, ...(client_id === sid ? { clientTokenId: jti } : {}) }
  }
  const { sub: actingEmail, grant } = (act ?? {}) as Record<string, unknown>
  if (typeof actingEmail !== 'string' || typeof grant !== 'string') throw unauthorized()
  return { userId: sub, orgId: org, ...session, act: { actingEmail, grantId: grant } }
}

const ANY_AGE_SECONDS = 100 * 365 * 24 * 60 * 60

/** Reads a token that we signed, expired or not. Undefined for any other text. */
export function createTokenReader(loadKeys: TokenOptions['loadKeys']) {
  return async (token: string): Promise<Omit<Claims, 'keyId'> | undefined> => {
    if (token.split('.').length !== 3) return undefined
    const keys = createLocalJWKSet(await loadKeys())
    const options = { algorithms: ['ES256'], typ: 'at+jwt', clockTolerance: ANY_AGE_SECONDS }
    return jwtVerify(token, keys, options)
      .then(({ payload }) => claimsOf(payload))
      .catch(() => undefined)
  }
}

export type ReadToken = ReturnType<typeof createTokenReader>
