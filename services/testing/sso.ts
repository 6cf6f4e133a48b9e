import type { SignInTokenSet } from '../../proto/http/identity/sign-in.ts'
import type { IdentityProvider } from '../../proto/http/organization/identity-providers.ts'
import { ApiClient, succeeded } from './client.ts'
import type { TestDns } from './dns.ts'
import { CLIENT, type TestIdentityProvider } from './identity-provider.ts'
import type { TestMarketplace } from './marketplace.ts'
import type { Answer, Problem } from './people.ts'

export const PROVIDERS = '/flows/v1/identity-providers'

/** The input of a provider with a domain of its own. */
export const providerInput = ({ issuer }: TestIdentityProvider, more: Record<string, unknown> = {}) => ({
  name: 'Company login',
  issuer,
  ...CLIENT,
  domains: [`${crypto.randomUUID()}.example.net`],
  ...more,
})

/** Creates a provider of an organization. */
export async function createdProvider(client: ApiClient, body: Record<string, unknown>): Promise<IdentityProvider> {
  return succeeded(client.post<IdentityProvider>(PROVIDERS, { name: 'Company login', ...CLIENT, ...body }))
}

/** Publishes the record of a domain and proves it. */
export async function prove(client: ApiClient, dns: TestDns, { id, domains }: IdentityProvider, name: string) {
  const domain = domains.find((each) => each.name === name)
  if (!domain) throw new Error(`the provider has no domain ${name}`)
  dns.records.set(domain.recordName, [[domain.recordValue]])
  return client.post<IdentityProvider & Problem>(`${PROVIDERS}/${id}/verify-domain`, { domain: name })
}

/** A browser without a screen: it keeps cookies and follows redirects, to the marketplace by its public URL. */
export class TestBrowser {
  readonly #market: TestMarketplace
  readonly #cookies = new Map<string, Map<string, string>>()

  constructor(market: TestMarketplace) {
    this.#market = market
  }

  #urlOf(url: string): URL {
    const { PUBLIC_URL: publicUrl } = this.#market.config
    return new URL(url.startsWith(publicUrl) ? this.#market.url + url.slice(publicUrl.length) : url)
  }

  async send(url: string, init: RequestInit = {}): Promise<Response> {
    const target = this.#urlOf(url)
    const jar = this.#cookies.get(target.host) ?? new Map<string, string>()
    this.#cookies.set(target.host, jar)
    const headers = new Headers(init.headers)
    if (jar.size > 0) headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await fetch(target, { ...init, headers, redirect: 'manual' })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      jar.set(name, value)
    }
    return response
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }
    return this.send(this.#market.config.PUBLIC_URL + path, init)
  }

  /** Types an address into the page of the sign-in. */
  async start(email: string): Promise<string | undefined> {
    const response = await this.post('/flows/v1/sso/start', { email })
    const body = (await response.json()) as { authorizationUrl?: string }
    if (response.status !== 200) throw new Error(`the sign-in did not begin: ${JSON.stringify(body)}`)
    return body.authorizationUrl
  }

  /** Begins the test of a provider. */
  async startTest({ accessToken }: ApiClient, id: string): Promise<string> {
    const headers = { authorization: `Bearer ${accessToken}` }
    const response = await this.post(`${PROVIDERS}/${id}/test`, undefined, headers)
    return ((await response.json()) as { authorizationUrl: string }).authorizationUrl
  }

  /** Follows redirects until the callback, which it does not open. */
  async toCallback(url: string): Promise<string> {
    const callback = `${this.#market.config.PUBLIC_URL}/flows/v1/sso/callback/`
    let at = url
    for (let hops = 0; hops < 10; hops++) {
      if (at.startsWith(callback)) return at
      const response = await this.send(at)
      const location = response.headers.get('location')
      if (location === null) throw new Error(`${at} is no redirect: ${response.status} ${await response.text()}`)
      at = new URL(location, at).href
    }
    throw new Error('too many redirects')
  }

  /** Opens the callback. Returns the fragment of the console's page. */
  async land(callback: string): Promise<string> {
    const response = await this.send(callback)
    const location = response.headers.get('location') ?? ''
    if (response.status !== 302 || !location.startsWith('/console#')) throw new Error(`${response.status} ${location}`)
    return location.slice('/console#'.length)
  }

  /** Signs in at the provider of a domain. Returns the fragment of the page that follows. */
  async visit(email: string): Promise<string> {
    const url = await this.start(email)
    if (url === undefined) throw new Error('the domain has no provider')
    return this.land(await this.toCallback(url))
  }

  async exchange(fragment: string): Answer<SignInTokenSet> {
    const response = await this.post('/flows/v1/sso/token', { code: fragment.replace(/^sso=/, '') })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
  }

  /** Signs in and returns a client of the session. */
  async signIn(email: string): Promise<ApiClient> {
    const fragment = await this.visit(email)
    const body = await succeeded(this.exchange(fragment))
    return new ApiClient(this.#market.url, body.access_token)
  }
}
