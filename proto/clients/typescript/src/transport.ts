import { type AskForToken, type Credentials, TokenSource } from './credentials.ts'
import { errorOf, isHtml } from './errors.ts'
import type { OauthTokenSet } from './generated/openapi.ts'
import { type RetryOptions, repeated, unlessAborted } from './retries.ts'
import { userAgent } from './user-agent.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface TransportOptions extends RetryOptions {
  /** Address of the marketplace, such as `https://marketplace.example.com`. */
  url: string
  /** Default: only public operations are called. */
  credentials?: Credentials
  /** Names your program in the `User-Agent`, such as `erp-connector/2.1`. */
  program?: string
  /** Default: `globalThis.fetch`. */
  fetch?: Fetch
}

/** The marketplace answers a used refresh token again for ten seconds; later it takes it for stolen. */
const REFRESH = { timeoutMs: 4000, resendWithinMs: 9000 }

export const isAddress = (url: string): boolean => /^https?:\/\//i.test(url) && URL.canParse(url)

const READS = ['GET', 'HEAD']
/** Commands that take no `Idempotency-Key`, because their bodies have a password or a token. */
export const WITHOUT_KEY =
  /\/oauth\/|^\/flows\/v1\/(activations(\/introspect)?|email-invitations\/introspect|password\/change|impersonation-grants\/redeem|mail-addresses\/(confirm|introspect)|passkeys(\/(confirm|start))?|password-resets|sign-in\/(first-passkey|passkey(\/start)?|password)|sso\/(start|token)|identity-providers\/[^/]+\/test|registrations(\/(confirm|introspect))?|unsubscriptions)$/

/**
 * Sends requests: with a token, a `User-Agent`, a time-out and, for a command, an `Idempotency-Key`; repeats what can
 * be repeated; throws an `ApiError` for an error response.
 */
export function createTransport({ credentials, program, fetch: given, ...options }: TransportOptions) {
  const fetch: Fetch = given ?? ((url, init) => globalThis.fetch(url, init))
  const agent = userAgent(program)
  const base = options.url.replace(/\/+$/, '')
  if (!isAddress(base)) throw new TypeError(`'${base}' is no address such as https://marketplace.example.com`)

  const ask: AskForToken = async (path, form) => {
    const request = { method: 'POST', url: `${base}${path}` }
    const headers = { ...agent, 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
    // A redirect could send the secret to another host.
    const init = { method: 'POST', headers, body: new URLSearchParams(form).toString(), redirect: 'error' as const }
    const send = (signal: AbortSignal) => fetch(request.url, { ...init, signal })
    const { signal } = new AbortController()
    const limits =
      form.grant_type === 'refresh_token'
        ? { ...REFRESH, timeoutMs: Math.min(options.timeoutMs ?? REFRESH.timeoutMs, REFRESH.timeoutMs) }
        : {}
    const response = await repeated(send, { ...options, ...limits, request, signal, isRepeatable: true })
    if (!response.ok || isHtml(response)) throw await errorOf(request, response)
    return (await response.json()) as OauthTokenSet
  }
  const tokens = credentials && new TokenSource(credentials, ask)

  return async (request: Request): Promise<Response> => {
    const { method, url, signal } = request
    const { pathname } = new URL(url)
    const headers = new Headers(request.headers)
    for (const [name, value] of Object.entries(agent)) headers.set(name, value)
    const takesKey = !READS.includes(method) && !WITHOUT_KEY.test(pathname)
    if (takesKey && !headers.has('idempotency-key')) headers.set('idempotency-key', crypto.randomUUID())
    // A body that was read can be sent again.
    const body = request.body === null ? undefined : await request.arrayBuffer()
    const isRepeatable = takesKey || READS.includes(method)
    // A redirect could send the body, such as a password, to another host.
    const redirect = READS.includes(method) ? 'follow' : 'error'
    const send = (attempt: AbortSignal) =>
      fetch(url, { method, headers, redirect, signal: attempt, ...(body === undefined ? {} : { body }) })
    const sendWithToken = async () => {
      const token = tokens && (await unlessAborted(tokens.token(), signal))
      if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
      const response = await repeated(send, { ...options, request, signal, isRepeatable })
      if (response.status === 401 && token !== undefined) tokens?.refuse(token)
      return response
    }
    let response = await sendWithToken()
    if (response.status === 401 && tokens) {
      // The token was refused before anything was done: it has expired, or its session has ended.
      await response.body?.cancel()
      response = await sendWithToken()
    }
    const isPage = isHtml(response) && !pathname.startsWith('/files/')
    if (response.status >= 400 || isPage) throw await errorOf(request, response)
    return response
  }
}
