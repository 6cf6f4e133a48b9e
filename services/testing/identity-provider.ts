import { createServer, type Server } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'
import Provider, { type AccountClaims } from 'oidc-provider'

export const CLIENT = { clientId: 'marketplace', clientSecret: 'a secret of the client, which no document contains' }

interface ProviderAccount {
  sub: string
  email?: string
  email_verified?: boolean
  given_name?: string
  family_name?: string
  groups?: string[]
}

/** A real OpenID Connect provider on loopback, which signs in the account of the test without a form. */
export class TestIdentityProvider {
  readonly issuer: string
  readonly #server: Server
  readonly #accounts = new Map<string, ProviderAccount>()
  #handle: ReturnType<Provider['callback']> | undefined
  /** The subject that signs in next; undefined: the person cancels. */
  #next: string | undefined

  private constructor(server: Server, port: number) {
    this.#server = server
    this.issuer = `http://127.0.0.1:${port}`
  }

  static async start(): Promise<TestIdentityProvider> {
    const { promise, resolve } = Promise.withResolvers<void>()
    let provider: TestIdentityProvider | undefined
    const server = createServer((request, response) => provider?.handle(request, response))
    server.listen(0, '127.0.0.1', resolve)
    await promise
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('the provider has no port')
    provider = new TestIdentityProvider(server, address.port)
    return provider
  }

  handle(...[request, response]: Parameters<ReturnType<Provider['callback']>>): void {
    void this.#handle?.(request, response)
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  /** Who signs in from now on. */
  signsIn(account: ProviderAccount | undefined): void {
    if (account) this.#accounts.set(account.sub, account)
    this.#next = account?.sub
  }

  /** Begins to serve the client with these redirect URIs. */
  async register(...redirectUrls: string[]): Promise<void> {
    const { privateKey } = await generateKeyPair('RS256', { extractable: true })
    const provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: CLIENT.clientId,
          client_secret: CLIENT.clientSecret,
          redirect_uris: redirectUrls,
          grant_types: ['authorization_code'],
          response_types: ['code'],
        },
      ],
      jwks: { keys: [{ ...(await exportJWK(privateKey)), use: 'sig', alg: 'RS256', kid: crypto.randomUUID() }] },
      cookies: { keys: ['a key of the test'] },
      claims: {
        email: ['email', 'email_verified'],
        profile: ['given_name', 'family_name', 'name'],
        groups: ['groups'],
      },
      scopes: ['openid', 'email', 'profile', 'groups'],
      features: { devInteractions: { enabled: false } },
      ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      findAccount: (_, sub) => {
        const account = this.#accounts.get(sub)
        return account && { accountId: sub, claims: () => account as unknown as AccountClaims }
      },
      loadExistingGrant: async ({ oidc }) => {
        const { client, session } = oidc
        if (!client || !session?.accountId) return undefined
        const grant = new oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId })
        grant.addOIDCScope('openid email profile groups')
        await grant.save()
        return grant
      },
    })
    const callback = provider.callback()
    this.#handle = async (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return callback(request, response)
      const result =
        this.#next === undefined ? { error: 'access_denied' } : { login: { accountId: this.#next, remember: false } }
      await provider.interactionFinished(request, response, result)
    }
  }
}
