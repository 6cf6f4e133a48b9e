import { LRUCache } from 'lru-cache'
import { timeAt } from '../../../proto/durations.ts'
import { AUTHORITY_EVENTS, type SubscribedEvent } from '../../../proto/events/events.ts'
import { MAX_ACCESS_TOKEN_SECONDS } from '../config/variables.ts'
import type { Pool, Sql, Tx } from '../db/client.ts'
import { isDependencyFailure } from '../db/failures.ts'
import { type Caller, callerFrom } from './caller.ts'
import { findUserOf } from './grantors.ts'
import { type CallerRow, findCaller, keySetOf, listEndedSessions, listPublicKeys, lockOrganization } from './queries.ts'
import { CLOCK_SKEW_SECONDS, type Claims, TokenVerifier, unauthorized } from './tokens.ts'

/** The part of the bus that carries revocations. */
interface AuthBus {
  subscribe(options: {
    subjects: readonly SubscribedEvent[]
    onEvent(event: { type: string; data: unknown }): void
    onGap(): Promise<void> | void
  }): Promise<unknown>
  /** Time of the last heartbeat of a service's relay, on the clock of `performance.now()`. */
  lastHeartbeat(service: string): number
}

interface AuthOptions {
  /** The Postgres of users and sessions. */
  sql: Pool
  /** Whether the transactions of commands run on another server, where they cannot read users and sessions. */
  isElsewhere?: boolean
  bus: AuthBus
  issuer: string
  audience: string
  clock: () => number
  /** For a service whose answers are the same for all organizations and need no Postgres. */
  acceptsKnownTokens?: boolean
}

/** After this time without a heartbeat, Postgres is queried for each token. */
const MAX_HEARTBEAT_AGE_MS = 5000
/** The longest lifetime that can be configured, because a token may have been issued under an earlier setting. */
const KEPT_REVOCATION_MS = (MAX_ACCESS_TOKEN_SECONDS + 60) * 1000
const MAX_TOKENS = 20_000
const MAX_USERS = 20_000
const MAX_HEADER_CHARACTERS = 8 * 1024
const BEARER_SCHEME = /^Bearer +\S/i
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i

interface KnownToken {
  claims: Claims
  /** The row that `caller` was built from. Another row invalidates it. */
  row: CallerRow | undefined
  caller: Caller | undefined
}

/**
 * Authenticates requests. Verified tokens, permissions and the ended sessions whose tokens have not expired are cached
 * and kept current by the bus, so a known token costs one hash. A revocation or a withdrawn permission takes effect
 * when its event arrives. Without recent heartbeats, and for impersonations, Postgres is queried for each request, and
 * where it does not answer, only a service with `acceptsKnownTokens` accepts the tokens that it has verified before.
 */
export class Auth {
  readonly #options: AuthOptions
  readonly #verifier: TokenVerifier
  /** Verified tokens by the hash of their `Authorization` header. */
  readonly #tokens = new LRUCache<string, KnownToken>({ max: MAX_TOKENS })
  readonly #callers = new LRUCache<string, CallerRow>({ max: MAX_USERS })
  /** Ended sessions, revoked keys and revoked tokens by id, with the time at which their last access token expires. */
  readonly #ended = new Map<string, number>()
  /** Incremented by each change, so that a look-up that started before it is not cached. */
  #generation = 0
  #isLoaded = false

  constructor(options: AuthOptions) {
    this.#options = options
    const { issuer, audience, clock } = options
    this.#verifier = new TokenVerifier({
      issuer,
      audience,
      clock,
      loadKeys: async () => keySetOf(await listPublicKeys(options.sql)),
    })
  }

  /** Subscribes, then loads the ended sessions. `subscribe` resolves when both are done, so no event is missed. */
  async start(): Promise<void> {
    await this.#options.bus.subscribe({
      subjects: AUTHORITY_EVENTS,
      onEvent: ({ type, data }) => this.#apply(type, data as Record<string, unknown>),
      onGap: () => this.#reload(),
    })
  }

  /** The caller: synchronously for a known token, otherwise after a look-up. Throws 401. */
  callerOf(request: Request): Caller | Promise<Caller> {
    const header = headerOf(request)
    // The whole header is hashed, so that the header of a known token is not parsed again.
    const key = Bun.SHA256.hash(header, 'base64')
    const known = this.#tokens.get(key)
    if (!known || !this.#trustsCache(known.claims) || !this.#verifier.accepts(known.claims.keyId))
      return this.#lookUp(header, key, known)
    this.#requireActiveSession(known.claims)
    const row = this.#callers.get(known.claims.userId)
    if (!row) return this.#lookUp(header, key, known)
    if (known.row !== row || !known.caller) {
      known.caller = callerFrom(known.claims, row)
      known.row = row
    }
    return known.caller
  }

  /** The claims of the token. Throws 401. */
  async claimsOf(request: Request): Promise<Claims> {
    const header = headerOf(request)
    const claims = await this.#claimsOf(header, this.#tokens.get(Bun.SHA256.hash(header, 'base64')))
    this.#requireActiveSession(claims)
    return claims
  }

  /** The claims of a token in a body. Throws 401. */
  async claimsIn(token: string): Promise<Claims> {
    const claims = await this.#verifier.verify(token)
    this.#requireActiveSession(claims)
    return claims
  }

  /**
   * The caller as stored now, read in the transaction of a command, which may begin long after the headers arrived.
   * Throws 401. With `lock`, concurrent commands of the organization that also take the lock wait until the transaction
   * ends. All queries use the connection of `tx`, because commands may hold all others. `before` is the caller of
   * `callerBefore`; a service that has it has no command with `lock`.
   */
  async callerWithin(
    tx: Tx,
    claims: Claims,
    { lock, before }: { lock: boolean; before: Caller | undefined },
  ): Promise<Caller> {
    if (before) {
      this.#requireActiveSession(claims)
      return before
    }
    if (lock) await lockOrganization(tx, claims.orgId)
    return this.#storedCaller(tx, claims)
  }

  /**
   * The caller as stored now, if the transaction of a command is on another server. It is read before the transaction
   * begins, because while the server of users and sessions does not answer, commands would hold all connections to the
   * other one. Throws 401.
   */
  async callerBefore(claims: Claims): Promise<Caller | undefined> {
    return this.#options.isElsewhere ? this.#storedCaller(this.#options.sql, claims) : undefined
  }

  async #storedCaller(sql: Sql, claims: Claims): Promise<Caller> {
    return callerFrom(claims, await this.#storedRow(sql, claims))
  }

  async #storedRow(sql: Sql, claims: Claims): Promise<CallerRow> {
    const row = await findUserOf(sql, claims)
    this.#requireActiveSession(claims)
    if (!row) throw unauthorized()
    return row
  }

  async #lookUp(header: string, key: string, known: KnownToken | undefined): Promise<Caller> {
    try {
      return await this.#confirm(header, key, known)
    } catch (error) {
      if (!this.#options.acceptsKnownTokens || !known?.caller || !isDependencyFailure(error)) throw error
      // Nothing is revoked while Postgres is down for all. Otherwise the token is accepted until it expires.
      this.#requireActiveSession(known.claims)
      return known.caller
    }
  }

  async #confirm(header: string, key: string, known: KnownToken | undefined): Promise<Caller> {
    const claims = await this.#claimsOf(header, known)
    this.#requireActiveSession(claims)
    const row = this.#trustsCache(claims)
      ? (this.#callers.get(claims.userId) ?? (await this.#loadCaller(claims.userId)))
      : await this.#storedRow(this.#options.sql, claims)
    const caller = callerFrom(claims, row)
    this.#tokens.set(key, { claims, row, caller })
    return caller
  }

  /** The claims of a token, from the cache while the key that signed it is valid. */
  #claimsOf(header: string, known: KnownToken | undefined): Claims | Promise<Claims> {
    if (known && this.#verifier.accepts(known.claims.keyId)) return known.claims
    return this.#verifier.verify(tokenIn(header))
  }

  async #loadCaller(userId: string): Promise<CallerRow> {
    const generation = this.#generation
    const [row] = await findCaller(this.#options.sql, userId)
    if (!row) throw unauthorized()
    if (generation === this.#generation) this.#callers.set(userId, row)
    return row
  }

  #requireActiveSession({ expiresAtMs, sessionId, clientTokenId, act }: Claims): void {
    // An impersonation ends exactly at its expiry, without clock skew.
    const skewMs = act ? 0 : CLOCK_SKEW_SECONDS * 1000
    if (expiresAtMs + skewMs <= this.#options.clock()) throw unauthorized('expired')
    if (this.#ended.has(sessionId)) throw unauthorized()
    if (clientTokenId !== undefined && this.#ended.has(clientTokenId)) throw unauthorized()
  }

  /** Whether the ended sessions are loaded and both services that publish changes had a recent heartbeat. */
  #isCurrent(): boolean {
    const { bus } = this.#options
    const lastHeartbeat = Math.min(bus.lastHeartbeat('identity'), bus.lastHeartbeat('organization'))
    return this.#isLoaded && performance.now() - lastHeartbeat <= MAX_HEARTBEAT_AGE_MS
  }

  /** Whether cached permissions decide about a token. During an impersonation the grantor is read for each request. */
  #trustsCache({ act }: Claims): boolean {
    return !act && this.#isCurrent()
  }

  #apply(type: string, data: Record<string, unknown>): void {
    this.#generation++
    if (type === 'identity.session.revoked') {
      for (const sessionId of data.sessionIds as string[]) this.#revoke(sessionId)
    } else if (type === 'identity.token.revoked') this.#revoke(data.tokenId as string)
    else if (type === 'organization.serviceAccountKey.revoked') this.#revoke(data.keyId as string)
    else if (type === 'identity.key.revoked') {
      this.#verifier.expire()
      this.#tokens.clear()
    } else if (typeof data.userId === 'string') this.#callers.delete(data.userId)
    else {
      for (const [userId, row] of this.#callers.entries()) if (row.org_id === data.orgId) this.#callers.delete(userId)
    }
  }

  #revoke(sessionId: string): void {
    const now = this.#options.clock()
    for (const [id, expiredAt] of this.#ended) {
      // Entries are in the order of their expiry.
      if (expiredAt > now) break
      this.#ended.delete(id)
    }
    // Moved to the end, where its expiry belongs.
    this.#ended.delete(sessionId)
    this.#ended.set(sessionId, now + KEPT_REVOCATION_MS)
  }

  async #reload(): Promise<void> {
    this.#isLoaded = false
    this.#generation++
    this.#callers.clear()
    this.#verifier.expire()
    const { sql, clock } = this.#options
    const rows = await listEndedSessions(sql, timeAt(clock() - KEPT_REVOCATION_MS))
    for (const { session_id } of rows) this.#revoke(session_id)
    this.#isLoaded = true
  }
}

function headerOf(request: Request): string {
  const header = request.headers.get('authorization')
  if (header === null || !BEARER_SCHEME.test(header)) throw unauthorized('missing')
  if (header.length > MAX_HEADER_CHARACTERS) throw unauthorized('malformed')
  return header
}

function tokenIn(header: string): string {
  const token = BEARER.exec(header)?.[1]
  if (token === undefined) throw unauthorized('malformed')
  return token
}
