import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OrgInput } from '../../proto/http/organization/orgs.ts'
import type { OrgRole, Permission } from '../../proto/permissions.ts'
import { SERVICES, type ServiceName } from '../../proto/services.ts'
import { type AllConfig, allVariables, configOf } from '../all/config.ts'
import { createServices, ownerAmong } from '../all/services.ts'
import { readConfig } from '../kit/config/read.ts'
import { connect } from '../kit/db/client.ts'
import { open, type Running } from '../kit/service/run.ts'
import type { KitOptions } from '../kit/service/service.ts'
import { mailLinks } from '../organization/mail/links.ts'
import { bootstrapOperator, type CreatedOrganization, createOrg } from '../organization/organizations/commands.ts'
import { createRole, grantRole } from '../organization/roles/commands.ts'
import { findRoleByName } from '../organization/roles/queries.ts'
import { createUser, type InvitedUser } from '../organization/users/commands.ts'
import { ApiClient } from './client.ts'
import { type TestDatabase, testDatabase, throughPooler } from './database.ts'
import { SHARED_DNS } from './dns.ts'
import { commandsOf } from './run-as.ts'
import { type OpenSession, type SignInInvited, signInByCommands, TEST_PASSWORD } from './sign-in.ts'

export { TEST_PASSWORD }

export interface TestUser {
  userId: string
  orgId: string
  email: string
  client: ApiClient
}

export interface TestMarketplace {
  db: TestDatabase
  url: string
  running: Running
  anonymous: ApiClient
  config: AllConfig
  /** The configuration of one service, for a replica in the test. */
  configOf<C extends { DATABASE_URL: string }>(service: ServiceName): C
  /** An organization with its administrator signed in. */
  organization(roles: OrgRole[], options?: Partial<OrgInput>): Promise<TestOrganization>
  /** The platform operator's organization with its administrator signed in. Call it once. */
  operator(): Promise<TestOrganization>
  /** A new session of a user, opened without the form and without hashing the password. */
  openSession: OpenSession
  stop(): Promise<void>
}

export interface TestOrganization {
  orgId: string
  administrator: TestUser
  /** A signed-in user with a system role of the organization, or a new role with these permissions. */
  member(role: string | Permission[]): Promise<TestUser>
  /** A user with an activation link and no password. */
  invite(): Promise<InvitedUser & { email: string }>
  /** Grants a system role to an existing user. */
  grant(role: string, userId: string): Promise<void>
}

interface TestOptions extends KitOptions {
  /** Without workers, events and jobs wait, and a start costs half. */
  hasWorkers?: boolean
}

/** Several connections of each service, over which concurrent commands of one process race. */
export const RACING = { DATABASE_POOL_SIZE: '4' }

/** All services on a new database and a free port, with their workers, stopped at the end of the test file. */
export const testMarketplace = (
  overrides?: Record<string, string>,
  database?: TestDatabase,
  { hasWorkers = true, ...options }: TestOptions = {},
) => marketplaceOf(SERVICES, overrides, database, { hasWorkers, ...options })

/** The named services and those of users with their workers, for tests of events and jobs. */
export const marketplaceWithWorkers = (
  names: readonly ServiceName[],
  overrides?: Record<string, string>,
  database?: TestDatabase,
  options?: KitOptions,
) => marketplaceOf(names, overrides, database, { ...options, hasWorkers: true })

/** Sign-in and permissions need these services. */
const ALWAYS_STARTED: readonly ServiceName[] = ['identity', 'organization']

/**
 * Starts only the named services and those of users, without workers. Each omitted service saves a tenth of a second.
 */
export async function marketplaceOf(
  names: readonly ServiceName[],
  overrides: Record<string, string> = {},
  database?: TestDatabase,
  { hasWorkers = false, ...options }: TestOptions = {},
): Promise<TestMarketplace> {
  const db = database ?? (await testDatabase())
  const config = readConfig(allVariables, {
    ...Object.fromEntries(
      SERVICES.flatMap((service) => [
        [`${service.toUpperCase()}_DATABASE_URL`, throughPooler(db.urlOf(service))],
        [`${service.toUpperCase()}_DATABASE_DIRECT_URL`, db.urlOf(service)],
      ]),
    ),
    PORT: '0',
    HEALTH_PORT: '0',
    // Each connection plans and compiles what it runs, which costs more than the statements of most tests.
    DATABASE_POOL_SIZE: '1',
    ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    LOG_LEVEL: 'error',
    DRAIN_SECONDS: '0',
    RATE_LIMIT_PER_SECOND: '100000',
    RATE_LIMIT_BURST: '100000',
    // The tests of previews set it; elsewhere each file would start a process.
    PREVIEWS: 'false',
    REGISTRATION: 'open',
    FILES_FOLDER: join(process.env.TEST_FOLDER ?? tmpdir(), `files-${db.name}`),
    ...overrides,
  }) as AllConfig
  const started = [...new Set([...ALWAYS_STARTED, ...names])]
  const services = await createServices(started, config, { resolveTxt: SHARED_DNS.resolveTxt, ...options })
  const among = ownerAmong(services)
  const ownerOf = (path: string) => {
    const service = among(path)
    if (!service) throw new Error(`${path} belongs to a service that this test does not start`)
    return service
  }
  const running = await open({
    services: Object.values(services).map((service) => (hasWorkers ? service : { ...service, workers: [] })),
    config,
    ownerOf,
  })
  const url = `http://127.0.0.1:${running.port}`
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= running.stop()
    return stopped
  }
  db.beforeDrop(stop)
  const { signInInvited, openSession } = await signInByCommands(db, { url, config, clock: options.clock ?? Date.now })
  const fixtures = await createFixtures(db, signInInvited)
  return {
    db,
    url,
    running,
    config,
    configOf: (service) => configOf(config, service),
    stop,
    anonymous: new ApiClient(url),
    openSession,
    ...fixtures,
  }
}

/** Creates organizations, users and sessions by the commands of the product. */
export async function createFixtures(db: TestDatabase, signInInvited: SignInInvited) {
  const sql = connect(db.urlOf('organization'), { max: 1, applicationName: 'test-fixtures' })
  db.beforeDrop(() => sql.end({ timeout: 1 }))
  const now = () => new Date().toISOString()
  const person = () => {
    const name = crypto.randomUUID().slice(0, 8)
    return { email: `${name}@example.com`, givenName: 'Test', familyName: name }
  }
  const operatorPerson = person()
  const operator = await bootstrapOperator(
    sql,
    { name: 'Operator', roles: [], regionCode: 'NO', administrator: operatorPerson },
    now(),
  )
  const link = { publicUrl: '', links: mailLinks(undefined) }
  const tokenIn = (activationUrl = '') => activationUrl.slice(activationUrl.indexOf('#') + 1)

  const activated = async (orgId: string, email: string, invited: InvitedUser) => {
    return { userId: invited.userId, orgId, email, client: await signInInvited(invited.activationToken, email) }
  }

  const signedIn = async (created: CreatedOrganization, email: string): Promise<TestOrganization> => {
    const { orgId, administratorId, activationToken } = created
    const run = commandsOf(sql, { orgId, userId: administratorId })
    const roleNamed = async (name: string) => {
      const [role] = await findRoleByName(sql, orgId, name)
      if (!role) throw new Error(`the organization has no role ${name}`)
      return role.id
    }
    const grant = (id: string, userId: string) => run('role.grant', { params: { id }, body: { userId } }, grantRole)
    const invite = async () => {
      const body = person()
      const { id, activationUrl } = await run('user.create', { params: {}, body }, (call) => createUser(link, call))
      return { ...body, userId: id, activationToken: tokenIn(activationUrl) }
    }
    return {
      orgId,
      administrator: await activated(orgId, email, { userId: administratorId, activationToken }),
      async grant(role, userId) {
        await grant(await roleNamed(role), userId)
      },
      invite,
      async member(role) {
        const invited = await invite()
        const newRole = async (permissions: Permission[]) =>
          (await run('role.create', { params: {}, body: { name: invited.familyName, permissions } }, createRole)).id
        await grant(await (typeof role === 'string' ? roleNamed(role) : newRole(role)), invited.userId)
        return activated(orgId, invited.email, invited)
      },
    }
  }

  const runAsOperator = commandsOf(sql, { orgId: operator.orgId, userId: operator.administratorId })
  return {
    operator: () => signedIn(operator, operatorPerson.email),
    async organization(roles: OrgRole[], options: Partial<OrgInput> = {}): Promise<TestOrganization> {
      const administrator = options.administrator ?? person()
      const body = { name: `Org ${administrator.familyName}`, roles, regionCode: 'NO', administrator, ...options }
      const created = await runAsOperator('org.create', { params: {}, body }, (call) => createOrg(link, call))
      const { id: orgId, administratorId, activationUrl } = created
      return signedIn({ orgId, administratorId, activationToken: tokenIn(activationUrl) }, administrator.email)
    },
  }
}
