import { afterAll } from 'bun:test'
import type { Permission } from '../../proto/permissions.ts'
import type { KitOptions } from '../kit/service/service.ts'
import { type ApiAnswer, type ApiClient, succeeded } from './client.ts'
import { TestDns } from './dns.ts'
import { TestIdentityProvider } from './identity-provider.ts'
import { marketplaceWithWorkers, type TestMarketplace } from './marketplace.ts'
import { clientWith, createdAccount, createdKey } from './service-accounts.ts'
import { createdProvider, prove } from './sso.ts'

const SCIM = '/scim/v2'
export const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

interface ScimUser {
  id: string
  externalId?: string
  userName: string
  name: { givenName: string; familyName: string; formatted: string }
  displayName: string
  emails: { value: string; type: string; primary: boolean }[]
  active: boolean
  meta: { version: string; location: string; resourceType: string; created: string; lastModified: string }
}

interface ScimGroup {
  id: string
  externalId?: string
  displayName: string
  members: { value: string; $ref: string; display: string; type: string }[]
  meta: { version: string; location: string; resourceType: string; created: string }
}

interface ScimError {
  schemas: string[]
  status: string
  scimType?: string
  detail: string
}

interface ScimList<T> {
  totalResults: number
  startIndex: number
  itemsPerPage: number
  Resources: T[]
}

type Body = ScimUser & ScimGroup & ScimError & ScimList<ScimUser & ScimGroup>

/** A client as an identity provider is one, with the media type of SCIM. */
export class ScimClient {
  readonly api: ApiClient

  constructor(api: ApiClient) {
    this.api = api
  }

  #send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ApiAnswer<Body>> {
    const type = body === undefined ? {} : { 'content-type': 'application/scim+json' }
    return this.api.send<Body>(method, SCIM + path, { body, headers: { ...type, ...headers } })
  }

  get(path: string, headers?: Record<string, string>) {
    return this.#send('GET', path, undefined, headers)
  }

  post(path: string, body: unknown, headers?: Record<string, string>) {
    return this.#send('POST', path, body, headers)
  }

  put(path: string, body: unknown, headers?: Record<string, string>) {
    return this.#send('PUT', path, body, headers)
  }

  patch(path: string, body: unknown, headers?: Record<string, string>) {
    return this.#send('PATCH', path, body, headers)
  }

  /** A PATCH of these operations. */
  operate(path: string, ...operations: object[]) {
    return this.patch(path, { schemas: [PATCH_OP], Operations: operations })
  }

  delete(path: string, headers?: Record<string, string>) {
    return this.#send('DELETE', path, undefined, headers)
  }

  async filter(path: string, filter: string): Promise<(ScimUser & ScimGroup)[]> {
    return (await succeeded(this.get(`${path}?filter=${encodeURIComponent(filter)}`))).Resources
  }

  async created(path: string, body: object): Promise<ScimUser & ScimGroup> {
    return succeeded(this.post(path, body))
  }
}

/** Every permission that an administrator of an organization of this kind holds, so that all users can be managed. */
export async function scimAccount(
  market: TestMarketplace,
  admin: ApiClient,
  permissions?: readonly Permission[],
): Promise<ScimClient & { userId: string }> {
  const me = await admin.get<{ permissions: Permission[] }>('/flows/v1/me')
  const name = `SCIM ${crypto.randomUUID()}`
  const role = await succeeded(
    admin.post<{ id: string }>('/flows/v1/roles', {
      name,
      permissions: permissions ?? me.body.permissions,
    }),
  )
  const account = await createdAccount(admin, { name, roleIds: [role.id] })
  const api = await clientWith(market.url, await createdKey(admin, account.id))
  return Object.assign(new ScimClient(api), { userId: account.id })
}

/** A domain of an own provider that the organization has proved. */
export async function provedDomain(
  admin: ApiClient,
  { idp, dns }: { idp: TestIdentityProvider; dns: TestDns },
  more: Record<string, unknown> = {},
): Promise<{ domain: string; providerId: string; redirectUrl: string }> {
  const domain = `${crypto.randomUUID()}.example.net`
  const provider = await createdProvider(admin, { issuer: idp.issuer, domains: [domain], ...more })
  await succeeded(prove(admin, dns, provider, domain))
  return { domain, providerId: provider.id, redirectUrl: provider.redirectUrl }
}

/** A marketplace with an organization that has proved a domain, and an account of it with every permission. */
export async function scimWorld(settings: Record<string, string> = {}, options: KitOptions = {}) {
  const dns = new TestDns()
  const market = await marketplaceWithWorkers(
    ['sourcing'],
    { ALLOW_PRIVATE_ADDRESSES: 'true', ...settings },
    undefined,
    {
      resolveTxt: dns.resolveTxt,
      ...options,
    },
  )
  const idp = await TestIdentityProvider.start()
  afterAll(() => idp.stop())
  const org = await market.organization(['IP_OWNER'])
  const { client: admin } = org.administrator
  const { domain, providerId } = await provedDomain(admin, { idp, dns })
  return { market, dns, idp, org, admin, domain, providerId, full: await scimAccount(market, admin) }
}
