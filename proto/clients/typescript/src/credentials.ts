import { ApiError } from './errors.ts'
import type { OauthTokenSet } from './generated/openapi.ts'

type Form = Record<string, string>
/** Sends a form to an endpoint for tokens. Throws an `ApiError`. */
export type AskForToken = (path: string, form: Form) => Promise<OauthTokenSet>

export interface Tokens {
  accessToken: string
  refreshToken: string | undefined
  /** Time in milliseconds after which a new token is obtained. */
  expiresAtMs: number
}

/** How a client obtains tokens; `previous` are those that it replaces. */
export type Credentials = (ask: AskForToken, previous: Tokens | undefined) => Promise<Tokens>

const SERVICE_ACCOUNT_PATH = '/flows/v1/oauth/token'
const USER_PATH = '/v2.3/oauth/token'

/** The key of a service account. Each process has tokens of its own. */
export const serviceAccount =
  ({ clientId, clientSecret }: { clientId: string; clientSecret: string }): Credentials =>
  async (ask) =>
    tokensOf(
      await ask(SERVICE_ACCOUNT_PATH, {
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
      }),
    )

/** The e-mail address and password of a user. Each process has a session of its own, which it refreshes. */
export const password =
  ({ email, password }: { email: string; password: string }): Credentials =>
  async (ask, previous) => {
    const signIn = async () => tokensOf(await ask(USER_PATH, { grant_type: 'password', username: email, password }))
    if (previous?.refreshToken === undefined) return signIn()
    // The session may have ended or expired.
    return refreshed(ask, previous.refreshToken).catch((error) => {
      if (error instanceof ApiError && [400, 401].includes(error.status)) return signIn()
      throw error
    })
  }

/** Keeps the refresh token of a session that several processes share. */
export interface RefreshTokenStore {
  /**
   * Calls `use` with the token and keeps the one that replaces it. No other process may do so meanwhile: a token that
   * is used again later ends the session.
   */
  exchange(use: (refreshToken: string) => Promise<Tokens>): Promise<Tokens>
}

export const refreshToken =
  (store: RefreshTokenStore): Credentials =>
  (ask) =>
    store.exchange((token) => refreshed(ask, token))

/** An access token that another program obtains; a function is asked again when the token is refused. */
export const accessToken =
  (token: string | (() => string | Promise<string>)): Credentials =>
  async () => ({
    accessToken: typeof token === 'string' ? token : await token(),
    refreshToken: undefined,
    expiresAtMs: Number.POSITIVE_INFINITY,
  })

const refreshed = async (ask: AskForToken, token: string): Promise<Tokens> =>
  tokensOf(await ask(USER_PATH, { grant_type: 'refresh_token', refresh_token: token }))

/** A token is replaced before its end, at the latest 30 seconds before. */
const tokensOf = (answer: OauthTokenSet): Tokens => ({
  accessToken: answer.access_token,
  refreshToken: answer.refresh_token,
  expiresAtMs: Date.now() + Math.max(answer.expires_in - 30, answer.expires_in * 0.9) * 1000,
})

/** The current token. However many requests need a new one, one of them obtains it and the others wait. */
export class TokenSource {
  readonly #renew: (previous: Tokens | undefined) => Promise<Tokens>
  #current: Tokens | undefined
  #pending: Promise<Tokens> | undefined

  constructor(credentials: Credentials, ask: AskForToken) {
    this.#renew = (previous) => credentials(ask, previous)
  }

  async token(): Promise<string> {
    if (this.#current && Date.now() < this.#current.expiresAtMs) return this.#current.accessToken
    this.#pending ??= this.#obtain().finally(() => {
      this.#pending = undefined
    })
    return (await this.#pending).accessToken
  }

  /** Makes the next request obtain a new token, if the refused one is still the current one. */
  refuse(token: string): void {
    if (this.#current?.accessToken === token) this.#current = { ...this.#current, expiresAtMs: 0 }
  }

  async #obtain(): Promise<Tokens> {
    this.#current = await this.#renew(this.#current)
    return this.#current
  }
}
