import { isApplicable, type OrgRole, PERMISSIONS, type Permission, SYSTEM_ROLES } from '../../proto/permissions.ts'
import { type ApiAnswer, ApiClient, type RequestOptions } from './client.ts'
import type { TestMarketplace, TestOrganization, TestUser } from './marketplace.ts'
import type { Documented } from './operations/document.ts'
import { type Input, targetOf } from './operations/inputs.ts'
import { followSession } from './operations/passkey-challenges.ts'
import { openSession } from './sessions.ts'

/** Kinds of organization, with their marketplace roles and the system role of their members. */
const KINDS = {
  owner: { roles: ['IP_OWNER', 'CONSUMER'], role: 'IP owner' },
  // Has the records of several roles, of which each needs a second organization.
  otherOwner: { roles: ['IP_OWNER', 'CONSUMER', 'MANUFACTURER', 'DISTRIBUTOR'], role: 'IP owner' },
  consumer: { roles: ['CONSUMER'], role: 'Buyer' },
  manufacturer: { roles: ['MANUFACTURER'], role: 'Manufacturer' },
  distributor: { roles: ['DISTRIBUTOR'], role: 'Distributor' },
  operator: { roles: [], role: 'Viewer' },
} as const satisfies Record<string, { roles: readonly OrgRole[]; role: string }>

export type Kind = keyof typeof KINDS
export const ALL_KINDS = Object.keys(KINDS) as Kind[]

/** Standing of a user: `member` holds the system role of the kind, `powerless` holds no permission. */
const STANDINGS = ['administrator', 'member', 'powerless'] as const
export type Standing = (typeof STANDINGS)[number]

export interface Account extends TestUser {
  name: string
  kind: Kind
  standing: Standing
  permissions: ReadonlySet<Permission>
}

/** Opens another session when a command of the test has ended the current one. */
class RenewingClient extends ApiClient {
  readonly #newToken: () => Promise<string>

  constructor(url: string, accessToken: string, newToken: () => Promise<string>) {
    super(url, accessToken)
    this.#newToken = newToken
  }

  override async send<T>(method: string, path: string, options?: RequestOptions): Promise<ApiAnswer<T>> {
    const answer = await super.send<T>(method, path, options)
    if (answer.status !== 401 || !answer.text.includes('"unauthorized"')) return answer
    this.accessToken = await this.#newToken()
    return super.send<T>(method, path, options)
  }
}

/** One organization of each kind with its accounts, created on first use. */
export class Fixtures {
  readonly market: TestMarketplace
  readonly #created = new Map<string, Promise<unknown>>()
  #requests = 0

  constructor(market: TestMarketplace) {
    this.market = market
  }

  /** What is created on first use, by its name. */
  once<T>(name: string, create: () => Promise<T>): Promise<T> {
    const value = this.#created.get(name) ?? create()
    this.#created.set(name, value)
    return value as Promise<T>
  }

  organization(kind: Kind): Promise<TestOrganization> {
    return this.once(`organization ${kind}`, () =>
      kind === 'operator' ? this.market.operator() : this.market.organization([...KINDS[kind].roles]),
    )
  }

  account(kind: Kind, standing: Standing): Promise<Account> {
    return this.once(`account ${kind} ${standing}`, async () => {
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

  /** A client with a session of its own, because a test may have ended the other ones. */
  clientOf(account: TestUser): Promise<ApiClient> {
    return this.once(`client ${account.userId}`, async () => {
      const token = () => this.newToken(account)
      return new RenewingClient(this.market.url, await token(), token)
    })
  }

  /** The access token of a new session. */
  async newToken(account: TestUser): Promise<string> {
    const { id, accessToken } = await openSession(this.market, account)
    await followSession(this.market, account, id)
    return accessToken
  }

  /** Sends a request from a new IP address, so that failed sign-ins of one test do not throttle the next. */
  async send(account: Account | undefined, operation: Documented, input: Input): Promise<ApiAnswer<unknown>> {
    // Beside the client of OAuth there is no token.
    const client = account && !operation.contract.client ? await this.clientOf(account) : this.market.anonymous
    const headers = { 'x-forwarded-for': this.address(), ...input.headers }
    return client.send(operation.method, targetOf(operation, input), { headers, body: input.body })
  }

  address(): string {
    this.#requests++
    return [10, (this.#requests >> 16) & 255, (this.#requests >> 8) & 255, this.#requests & 255].join('.')
  }
}

/** Settings for tests with fixtures: X-Forwarded-For is trusted, and password hashes do not queue. */
export const FIXTURE_SETTINGS = {
  TRUSTED_PROXIES: '1',
  HASHING_SLOTS: '4',
  ALLOW_PRIVATE_ADDRESSES: 'true',
  // No server listens there.
  SMTP_URL: 'smtp://127.0.0.1:9',
  // Notifications wait, so that their attempts change no data.
  MAIL_DELAY_SECONDS: '3600',
  MAIL_FROM: 'no-reply@example.com',
}

function permissionsOf(kind: Kind, standing: Standing): ReadonlySet<Permission> {
  const { roles, role } = KINDS[kind]
  const held: Record<Standing, readonly Permission[]> = {
    administrator: PERMISSIONS,
    member: SYSTEM_ROLES.find(({ name }) => name === role)?.permissions ?? [],
    powerless: [],
  }
  return new Set(
    held[standing].filter((permission) => isApplicable(permission, { roles, operator: kind === 'operator' })),
  )
}
