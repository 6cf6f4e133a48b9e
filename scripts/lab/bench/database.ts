import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MAX_ENDPOINTS } from '../../../proto/http/webhooks/endpoints.ts'
import { PROCEDURES } from '../../../proto/procedures.ts'
import { SERVICES, type ServiceName } from '../../../proto/services.ts'
import { loadAssignments } from '../../../services/testing/load/assignments.ts'
import { loadAuditLog } from '../../../services/testing/load/audit-log.ts'
import { loadDeliveries } from '../../../services/testing/load/deliveries.ts'
import { loadFactories } from '../../../services/testing/load/factories.ts'
import { loadOffers } from '../../../services/testing/load/offers.ts'
import { loadOrders } from '../../../services/testing/load/orders.ts'
import { asOwner, type Owner } from '../../../services/testing/load/owner.ts'
import { loadParts } from '../../../services/testing/load/parts.ts'
import { loadedOrganization, loadTrader, loadUsers } from '../../../services/testing/load/people.ts'
import { LARGEST as LARGEST_TRADER, loadedRfqOrg, loadRfqs } from '../../../services/testing/load/rfqs.ts'
import { readSecrets, type Secrets, serviceUrl } from '../../commands/dev/secrets.ts'
import { BUN, commandFile } from '../../toolchain/checkout.ts'
import { startCluster, stopOrphan } from '../../toolchain/cluster.ts'
import type { Lifecycle } from '../../toolchain/command.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { takeLock } from '../../toolchain/lock.ts'
import { run, tail } from '../../toolchain/run.ts'
import { findState } from '../../toolchain/state.ts'
import { count } from './compare.ts'

/** Settings of a small production server; the others are the defaults of Postgres, `fsync` above all. */
const SETTINGS = {
  shared_buffers: '512MB',
  max_connections: '200',
  max_wal_size: '4GB',
  maintenance_work_mem: '256MB',
  // Application and process id, as `readLog` expects them.
  log_line_prefix: '@@%a|%p|',
}

/** How many records are loaded. */
interface Size {
  parts: number
  organizations: number
  users: number
  auditEntries: number
  /** RFQs, each with three offers and an order. */
  rfqs: number
  factories: number
  deliveries: number
  /** Organizations with every role and an administrator who signs in, besides those with RFQs. */
  traders: number
}
const NONE: Size = {
  parts: 0,
  organizations: 0,
  users: 0,
  auditEntries: 0,
  rfqs: 0,
  factories: 0,
  deliveries: 0,
  traders: 0,
}
const MAX_USERS = 1_000_000
const MIN_PART_OWNERS = 1000
const FACTORIES = 100_000
const TRADERS = 10_000
const WRITING_TRADERS = 32

/** The loaded organization with a tenth of all users. */
export const LARGEST = loadedOrganization(0)
export const LARGEST_SHARE = 10
/** A loaded organization with about ninety users, or nine at ten million parts, which has the audit log. */
export const ORDINARY = loadedOrganization(1)
/** Organizations with a list of webhook endpoints: one has all loaded deliveries, the other none. */
export const [DELIVERED, UNDELIVERED] = [ORDINARY, LARGEST]
export const ENDPOINTS_OF_A_LIST = MAX_ENDPOINTS
/** The loaded organization with half of all RFQs, offers and orders, and one with few. */
export const [LARGE_TRADER, SMALL_TRADER] = [LARGEST_TRADER, loadedRfqOrg(7)]
/** The organizations that write. */
export const writingTrader = (number: number) => `org_writer_${number}`
/** The id of a loaded record of the database of the trade. */
export const idOf = (prefix: string, number: number) => `${prefix}_${String(number).padStart(26, '0')}`
/** A published part, which many factories can make. */
export const TRADED_PART = idOf('part', 2)
/** Each month of the audit log is a partition. */
export const AUDIT_MONTHS = 24
export const AUDIT_ACTORS = 2000

export interface Database {
  name: string
  ownerUrl: string
  /** Each database is an installation of its own on the server, with roles of its own. */
  rolePrefix: string
  secrets: Secrets
  /** The folder of the logs and files. */
  folder: string
  logFile: string
  size: Size
}

/** The sizes of the databases of a benchmark with some number of parts. */
const sizesOf = (parts: number) => {
  const users = Math.min(parts, MAX_USERS)
  return {
    // A hundred thousand organizations at ten million parts.
    large: { ...NONE, parts, organizations: parts / 100, users, auditEntries: 10 * users },
    small: { ...NONE, parts: 100_000, organizations: 10, users: 1000 },
    webhooks: { ...NONE, organizations: 10, users: 1000, deliveries: 10 * parts },
    trade: { ...NONE, parts: 2, rfqs: parts, factories: FACTORIES },
    writes: { ...NONE, traders: WRITING_TRADERS },
  } satisfies Record<string, Size>
}
export type DatabaseName = keyof ReturnType<typeof sizesOf>

/** Starts Postgres. Each database is loaded when it is first opened; later runs migrate it. */
export async function startDatabases(parts: number, { signal, progress, onStop }: Lifecycle) {
  const state = await findState()
  const place = await passableFolder(join(state.folder, 'bench'))
  onStop(await takeLock({ path: join(place, 'run.json'), script: 'scripts/lab/bench/main.ts', title: 'A benchmark' }))
  const folder = await passableFolder(join(place, String(parts)))
  const data = join(folder, 'postgres')
  await stopOrphan(data)
  const secrets = await readSecrets(folder)
  const logFile = join(folder, 'postgres.log')
  const password = secrets.ownerPassword
  const cluster = await startCluster({ state, data, logFile, settings: SETTINGS, signal, progress, password })
  onStop(cluster.stop)
  return async (name: DatabaseName): Promise<Database> => {
    const size = sizesOf(parts)[name]
    const database = { name, ownerUrl: cluster.urlOf(name), rolePrefix: `${name}_`, secrets, folder, logFile, size }
    const loaded = join(folder, `loaded-${name}`)
    if (await Bun.file(loaded).exists()) {
      await script(database, 'migrate')
      return database
    }
    await asOwner(cluster.urlOf('postgres'), async (server) => {
      await server`drop database if exists ${server(name)}`
      await server`create database ${server(name)}`
    })
    await script(database, 'migrate')
    await script(database, 'operator', 'catalog', 'import', '--defaults')
    await asOwner(database.ownerUrl, (owner) => load(owner, database, progress))
    await writeFile(loaded, '')
    return database
  }
}

/** The URL of a service for its database. */
export const urlOfService = ({ ownerUrl, rolePrefix, secrets }: Database, service: ServiceName): string =>
  serviceUrl(ownerUrl, service, secrets, rolePrefix)

/** The account of Postgres must pass through, and its data folder has a closed mode. */
async function passableFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o711)
  return folder
}

/** Creates the streams of a broker without any. */
export const createStreams = (database: Database, natsUrl: string): Promise<void> =>
  script({ ...database, natsUrl }, 'migrate')

async function script(
  { ownerUrl, rolePrefix, secrets, folder, natsUrl }: Database & { natsUrl?: string },
  name: string,
  ...words: string[]
): Promise<void> {
  const passwords = SERVICES.map((name) => [`${name.toUpperCase()}_DATABASE_PASSWORD`, secrets.servicePasswords[name]])
  const env = {
    ...process.env,
    ...Object.fromEntries(passwords),
    DATABASE_URL: ownerUrl,
    DATABASE_ROLE_PREFIX: rolePrefix,
    NATS_URL: natsUrl,
  }
  const { code, output } = await run([BUN, commandFile(name), ...words], { env })
  if (code !== 0) throw new CommandError(`${tail(output)}\nTo load the data of the benchmark anew, remove ${folder}.`)
}

async function load(owner: Owner, { size, secrets }: Database, progress: Lifecycle['progress']): Promise<void> {
  const { parts, organizations, users, auditEntries, rfqs, factories, deliveries, traders } = size
  if (users > 0) {
    progress(`Loading ${count(users)} users`)
    await loadUsers(owner, { count: users, organizations, largest: users / LARGEST_SHARE })
    for (const orgId of [LARGEST, ORDINARY]) await insertPassword(owner, orgId, secrets)
  }
  if (parts > 0) {
    progress(`Loading ${count(parts)} parts`)
    await loadParts(owner, { count: parts, organizations: Math.max(MIN_PART_OWNERS, organizations) })
  }
  if (auditEntries > 0) {
    progress(`Loading ${count(auditEntries)} audit entries`)
    const whose = { orgId: ORDINARY, actors: AUDIT_ACTORS, procedures: PROCEDURES }
    await loadAuditLog(owner, { ...whose, count: auditEntries, months: AUDIT_MONTHS }, progress)
  }
  if (factories > 0) {
    progress(`Loading ${count(factories)} factories`)
    await loadFactories(owner, { count: factories, organizations: TRADERS })
  }
  if (rfqs > 0) {
    progress(`Loading ${count(rfqs)} RFQs with their offers, orders and assignments`)
    await loadRfqs(owner, { count: rfqs, organizations: TRADERS })
    await loadOffers(owner, { rfqs })
    await loadOrders(owner, { rfqs })
    await loadAssignments(owner, { orders: rfqs })
    for (const orgId of [LARGE_TRADER, SMALL_TRADER]) {
      await loadTrader(owner, orgId)
      await insertPassword(owner, orgId, secrets)
    }
  }
  for (const orgId of Array.from({ length: traders }, (_, at) => writingTrader(at))) {
    await loadTrader(owner, orgId)
    await insertPassword(owner, orgId, secrets)
  }
  if (deliveries > 0) {
    progress(`Loading ${count(deliveries)} deliveries of webhooks`)
    await loadDeliveries(owner, { count: deliveries, orgId: DELIVERED, endpoints: ENDPOINTS_OF_A_LIST })
  }
  // The event of the catalog import would make the service update all parts during the first measurements.
  await owner`delete from catalog.outbox`
  await owner`checkpoint`
}

/** The password of every administrator that signs in. */
const passwordOf = ({ ownerPassword }: Secrets) => ownerPassword

async function insertPassword(owner: Owner, orgId: string, secrets: Secrets): Promise<void> {
  const hash = await Bun.password.hash(passwordOf(secrets))
  await owner`
    insert into identity.credentials (user_id, password_hash, password_version)
    select id, ${hash}, password_version from organization.users
    where org_id = ${orgId} and id like 'user_L%' order by id limit 1`
}

export interface Account {
  email: string
  password: string
  hash: string
}

/** The Administrator of a loaded organization. */
export async function administratorOf({ ownerUrl, secrets }: Database, orgId: string): Promise<Account> {
  const [account] = await asOwner(
    ownerUrl,
    (owner) => owner<{ email: string; hash: string }[]>`
      select u.email, c.password_hash as hash from organization.users u
      join identity.credentials c on c.user_id = u.id
      where u.org_id = ${orgId}`,
  )
  if (!account) throw new Error(`organization ${orgId} has no user with a password`)
  return { ...account, password: passwordOf(secrets) }
}
