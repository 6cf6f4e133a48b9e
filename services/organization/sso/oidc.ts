import { LRUCache } from 'lru-cache'
import * as client from 'openid-client'
import type { AddressGuard } from '../../kit/addresses/guard.ts'
import { readAtMost } from '../../kit/addresses/read-body.ts'
import type { KeyedSemaphore } from '../../kit/limits/keyed-semaphore.ts'
import type { SecretBox } from '../../kit/secrets/box.ts'
import type { ProviderRow } from '../identity-providers/queries.ts'

const MAX_RESPONSE_BYTES = 256 * 1024
const TIMEOUT_MS = 10_000
const CLOCK_TOLERANCE_SECONDS = 5
/** Discovery documents that are kept, and for how long. */
const CACHE = { max: 500, ttl: 10 * 60 * 1000 }
/** A request that fails after so long makes its provider a hanging one. */
const HANGS_AFTER_MS = 4000
/** Hanging providers that are known, and for how long each is not asked again. */
const HANGING = { max: 500, ttl: 20_000 }

/** What is known of a provider in the database. */
type ProviderSettings = Pick<ProviderRow, 'id' | 'org_id' | 'issuer' | 'clientId' | 'clientSecret' | 'version'>

interface OidcDeps {
  guard: AddressGuard
  /** Whether `http` is allowed, for local development. */
  allowPrivate: boolean
  box: SecretBox
  /** Requests to providers, by organization, because a provider may hang. */
  permits: KeyedSemaphore
}

/** What a sign-in must find again when the browser comes back. */
interface FlowSecrets {
  state: string
  nonce: string
  codeVerifier: string
}

/** Who signed in, as the provider says. */
export interface ProviderClaims {
  subject: string
  /** Undefined where the provider did not confirm the address. */
  email: string | undefined
  givenName: string | undefined
  familyName: string | undefined
  all: Readonly<Record<string, unknown>>
}

/** The provider could not be asked, or its answer is not valid. The message is for its administrator. */
export class ProviderFailed extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'ProviderFailed'
  }
}

/** The provider did not sign the person in. */
export class ProviderDeclined extends ProviderFailed {}

/** Asks OpenID Connect providers. Every request is checked by the address guard, bounded and not redirected. */
export class Oidc {
  readonly #deps: OidcDeps
  readonly #configurations = new LRUCache<string, client.Configuration>(CACHE)
  readonly #hanging = new LRUCache<string, ProviderFailed>(HANGING)

  constructor(deps: OidcDeps) {
    this.#deps = deps
  }

  /** The page of the provider for a new sign-in, and what to keep until the browser comes back. */
  async begin(
    settings: ProviderSettings,
    { redirectUrl, loginHint, groupsClaim }: { redirectUrl: string; loginHint?: string; groupsClaim?: string | null },
    signal: AbortSignal,
  ): Promise<{ authorizationUrl: string; secrets: FlowSecrets }> {
    const configuration = await this.#configurationOf(settings, signal)
    const secrets = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      codeVerifier: client.randomPKCECodeVerifier(),
    }
    const { scopes_supported: offered = [] } = configuration.serverMetadata()
    const groups = groupsClaim && offered.includes(groupsClaim) ? ` ${groupsClaim}` : ''
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUrl,
      scope: `openid email profile${groups}`,
      state: secrets.state,
      nonce: secrets.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(secrets.codeVerifier),
      code_challenge_method: 'S256',
      ...(loginHint === undefined ? {} : { login_hint: loginHint }),
    })
    return { authorizationUrl: url.href, secrets }
  }

  /** Checks the answer of a provider and exchanges its code. */
  async finish(
    settings: ProviderSettings,
    { url, state, nonce, codeVerifier }: FlowSecrets & { url: URL },
    signal: AbortSignal,
  ): Promise<ProviderClaims> {
    if (url.searchParams.has('error')) throw new ProviderDeclined('The provider did not sign the person in.')
    const configuration = await this.#configurationOf(settings, signal)
    return this.#ask(settings, signal, async () => {
      const tokens = await client.authorizationCodeGrant(configuration, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      })
      const inToken: Record<string, unknown> = { ...tokens.claims() }
      const subject = inToken.sub
      if (typeof subject !== 'string' || !SUBJECT.test(subject))
        throw new ProviderFailed('The id token has no subject, or one that is not valid.')
      // Several providers put e-mail address and groups into the answer of this endpoint only.
      const { userinfo_endpoint: endpoint } = configuration.serverMetadata()
      const asked = endpoint ? await client.fetchUserInfo(configuration, tokens.access_token, subject) : {}
      return claimsOf(subject, { ...asked, ...inToken })
    })
  }

  async #configurationOf(settings: ProviderSettings, signal: AbortSignal): Promise<client.Configuration> {
    const { issuer } = settings
    const key = keyOf(settings)
    const known = this.#configurations.get(key)
    if (known) return known
    const secret = await this.#deps.box.decrypt(settings.clientSecret)
    const configuration = await this.#ask(settings, signal, () => {
      const metadata = { [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS }
      const execute = this.#deps.allowPrivate ? [client.allowInsecureRequests] : []
      return client.discovery(new URL(issuer), settings.clientId, metadata, client.ClientSecretBasic(secret), {
        [client.customFetch]: this.#fetch,
        timeout: TIMEOUT_MS / 1000,
        execute,
      })
    })
    const server = configuration.serverMetadata()
    // The library accepts other issuers of Entra ID, by which people of any of its customers could sign in.
    if (server.issuer !== issuer) throw new ProviderFailed('The discovery document names another issuer.')
    const page = server.authorization_endpoint
    if (page === undefined || this.#deps.guard.problemOf(page) !== undefined)
      throw new ProviderFailed('The discovery document has no valid authorization endpoint.')
    const { token_endpoint_auth_methods_supported: methods } = server
    const prefersPost = methods?.includes('client_secret_post') && !methods.includes('client_secret_basic')
    const used = prefersPost ? withSecretInForm(configuration, settings, secret) : configuration
    used[client.customFetch] = this.#fetch
    used.timeout = TIMEOUT_MS / 1000
    if (this.#deps.allowPrivate) client.allowInsecureRequests(used)
    // Otherwise the library trusts TLS, and the signature of an id token is not checked.
    client.enableNonRepudiationChecks(used)
    this.#configurations.set(key, used)
    return used
  }

  /**
   * Waits for a permit of the organization, and turns errors into one kind. A hanging provider is not asked for some
   * seconds, because hanging ones together could otherwise hold all permits again and again.
   */
  async #ask<T>(settings: ProviderSettings, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const key = keyOf(settings)
    this.#requireAnswering(key)
    return this.#deps.permits.run(settings.org_id, signal, async () => {
      this.#requireAnswering(key)
      const startedMs = performance.now()
      try {
        return await work()
      } catch (error) {
        const failure = error instanceof ProviderFailed ? error : failureOf(error)
        if (performance.now() - startedMs >= HANGS_AFTER_MS) this.#hanging.set(key, failure)
        throw failure
      }
    })
  }

  /** Throws the failure of a hanging provider. */
  #requireAnswering(key: string): void {
    const failure = this.#hanging.get(key)
    if (failure) throw failure
  }

  readonly #fetch: client.CustomFetch = async (url, { method, headers, body, signal }) => {
    if (method !== 'GET' && method !== 'POST') throw new ProviderFailed('The method is not allowed.')
    const limit = AbortSignal.timeout(TIMEOUT_MS)
    const response = await this.#deps.guard.send({
      url,
      method,
      headers: { ...headers, 'accept-encoding': 'identity' },
      ...(body ? { body: String(body) } : {}),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    })
    const { bytes, isWhole } = await readAtMost(response, MAX_RESPONSE_BYTES)
    if (!isWhole) throw new ProviderFailed('The answer of the provider is too long.')
    const hasNoBody = response.status === 204 || response.status === 304
    return new Response(hasNoBody ? null : new Uint8Array(bytes), {
      status: response.status,
      headers: response.headers,
    })
  }
}

/** A provider that is changed is another one. */
const keyOf = ({ id, version }: ProviderSettings) => `${id} ${version}`

const withSecretInForm = (from: client.Configuration, settings: ProviderSettings, secret: string) =>
  new client.Configuration(
    from.serverMetadata(),
    settings.clientId,
    { [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
    client.ClientSecretPost(secret),
  )

/** Messages of the library, and of providers, may contain what they were sent; only codes are passed on. */
function failureOf(error: unknown): ProviderFailed {
  const code = (error as { code?: unknown } | null)?.code
  const reason = typeof code === 'string' && /^[A-Z_]{1,60}$/.test(code) ? ` (${code})` : ''
  return new ProviderFailed(`The provider could not be asked, or its answer is not valid${reason}.`, error)
}

/** OpenID Connect limits a subject to 255 characters; Postgres stores no NUL. */
const SUBJECT = /^\P{Cc}{1,255}$/u

const textOf = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : undefined)

/** `xms_edov` is the confirmation of Entra ID, which has no `email_verified`. */
function isConfirmed({ email_verified: confirmed, xms_edov: byEntra }: Readonly<Record<string, unknown>>): boolean {
  if (confirmed !== undefined) return confirmed === true || confirmed === 'true'
  return byEntra === true || byEntra === 'true' || byEntra === 1 || byEntra === '1'
}

export function claimsOf(subject: string, all: Readonly<Record<string, unknown>>): ProviderClaims {
  return {
    subject,
    email: isConfirmed(all) ? textOf(all.email) : undefined,
    givenName: textOf(all.given_name),
    familyName: textOf(all.family_name) ?? textOf(all.name),
    all,
  }
}
