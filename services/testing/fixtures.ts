import { isApplicable, type OrgRole, PERMISSIONS, type Permission, SYSTEM_ROLES } from '../../proto/permissions.ts'
import { type ApiAnswer, ApiClient } from './client.ts'
import type { TestMarketplace, TestOrganization, TestUser } from './marketplace.ts'
import type { Documented } from './operations/document.ts'
import { type Input, targetOf } from './operations/inputs.ts'
import { openSession } from './sessions.ts'

/** The kinds of organization that there are, each with the roles that make it one and the system role of its people. */
const KINDS = {
  owner: { roles: ['IP_OWNER'], role: 'IP owner' },
  otherOwner: { roles: ['IP_OWNER'], role: 'IP owner' },
  consumer: { roles: ['CONSUMER'], role: 'Buyer' },
  manufacturer: { roles: ['MANUFACTURER'], role: 'Manufacturer' },
  distributor: { roles: ['DISTRIBUTOR'], role: 'Distributor' },
  operator: { roles: [], role: 'Viewer' },
} as const satisfies Record<string, { roles: readonly OrgRole[]; role: string }>

export type Kind = keyof typeof KINDS
export const ALL_KINDS = Object.keys(KINDS) as Kind[]

/** What somebody is in their organization: `member` holds its system role, `powerless` no permission at all. */
export const STANDINGS = ['administrator', 'member', 'powerless'] as const
export type Standing = (typeof STANDINGS)[number]

export interface Account extends TestUser {
  name: string
  kind: Kind
  standing: Standing
  permissions: ReadonlySet<Permission>
}

/** One organization of each kind and the accounts in it, made when they are first asked for. */
export class Fixtures {
  readonly market: TestMarketplace
  readonly #organizations = new Map<Kind, Promise<TestOrganization>>()
  readonly #accounts = new Map<string, Promise<Account>>()
  #requests = 0

  constructor(market: TestMarketplace) {
    this.market = market
  }

  organization(kind: Kind): Promise<TestOrganization> {
    const create = () =>
      kind === 'operator' ? this.market.operator() : this.market.organization([...KINDS[kind].roles])
    return remembered(this.#organizations, kind, create)
  }

  account(kind: Kind, standing: Standing): Promise<Account> {
    return remembered(this.#accounts, `${kind} ${standing}`, async () => {
      const organization = await this.organization(kind)
      const member = (role: string | Permission[]) => organization.member(role)
      const user =
        standing === 'administrator'
          ? organization.administrator
          : await member(standing === 'member' ? KINDS[kind].role : [])
      return { ...user, name: `${kind} ${standing}`, kind, standing, permissions: permissionsOf(kind, standing) }
    })
  }

  async accounts(): Promise<Account[]> {
    return Promise.all(ALL_KINDS.flatMap((kind) => STANDINGS.map((standing) => this.account(kind, standing))))
  }

  /** A session of its own for somebody whose others a test may have ended. */
  async clientOf(account: TestUser): Promise<ApiClient> {
    return new ApiClient(this.market.url, (await openSession(this.market, account)).accessToken)
  }

  /** Sends a request from an address of its own: failed sign-ins of one test must not throttle the next. */
  async send(account: Account | undefined, operation: Documented, input: Input): Promise<ApiAnswer<unknown>> {
    const client = account ? await this.clientOf(account) : this.market.anonymous
    const headers = { 'x-forwarded-for': this.address(), ...input.headers }
    return client.send(operation.method, targetOf(operation, input), { headers, body: input.body })
  }

  address(): string {
    this.#requests++
    return [10, (this.#requests >> 16) & 255, (this.#requests >> 8) & 255, this.#requests & 255].join('.')
  }
}

/** What a world needs of its marketplace: addresses are believed, so that each request can have one; hashes do not queue. */
export const FIXTURE_SETTINGS = { TRUSTED_PROXIES: '1', HASHING_SLOTS: '4', ALLOW_PRIVATE_ADDRESSES: 'true' }

function remembered<K, V>(kept: Map<K, Promise<V>>, key: K, make: () => Promise<V>): Promise<V> {
  const known = kept.get(key) ?? make()
  kept.set(key, known)
  return known
}

function permissionsOf(kind: Kind, standing: Standing): ReadonlySet<Permission> {
  const { roles, role } = KINDS[kind]
  const held: Record<Standing, readonly Permission[]> = {
    administrator: PERMISSIONS,
    member: SYSTEM_ROLES.find(({ name }) => name === role)?.permissions ?? [],
    powerless: [],
  }
  return new Set(held[standing].filter((key) => isApplicable(key, { roles, operator: kind === 'operator' })))
}
