import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PROCEDURES } from '../../proto/procedures.ts'
import { SERVICES } from '../../proto/services.ts'
import { loadAuditLog } from '../../services/testing/load/audit-log.ts'
import { asOwner, type Owner } from '../../services/testing/load/owner.ts'
import { loadParts } from '../../services/testing/load/parts.ts'
import { loadedOrganization, loadUsers } from '../../services/testing/load/people.ts'
import { readSecrets, type Secrets } from '../local/secrets.ts'
import { BUN, ROOT } from '../toolchain/checkout.ts'
import { startCluster, stopOrphan } from '../toolchain/cluster.ts'
import type { Lifecycle } from '../toolchain/command.ts'
import { takeLock } from '../toolchain/lock.ts'
import { Refusal } from '../toolchain/refusal.ts'
import { run, tail } from '../toolchain/run.ts'
import { findState } from '../toolchain/state.ts'
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
  users: number
  auditEntries: number
}
const SMALL: Size = { parts: 100_000, users: 1000, auditEntries: 0 }
const PART_OWNERS = 1000
const MAX_USERS = 1_000_000

/** The loaded organization with a tenth of all users. */
export const LARGEST = 0
export const LARGEST_SHARE = 10
/** A loaded organization with about ninety users, which has the audit log. */
export const ORDINARY = 1
/** Each month of the audit log is a partition. */
export const AUDIT_MONTHS = 24
export const AUDIT_ACTORS = 2000

export interface Database {
  name: string
  ownerUrl: string
  secrets: Secrets
  /** The folder of the logs and files. */
  folder: string
  logFile: string
  size: Size
}

/** Starts Postgres with a large and a small database. They are loaded once; later runs migrate them. */
export async function openDatabases(parts: number, { signal, progress, onStop }: Lifecycle) {
  const state = await findState()
  const place = await passableFolder(join(state.folder, 'bench'))
  onStop(await takeLock({ path: join(place, 'run.json'), script: 'scripts/bench.ts', title: 'A benchmark' }))
  const folder = join(place, String(parts))
  const loaded = join(folder, 'loaded')
  const data = join(folder, 'postgres')
  await stopOrphan(data)
  const isLoaded = await Bun.file(loaded).exists()
  if (!isLoaded) await rm(folder, { recursive: true, force: true })
  await passableFolder(folder)
  const secrets = await readSecrets(folder)
  const logFile = join(folder, 'postgres.log')
  const password = secrets.ownerPassword
  const cluster = await startCluster({ state, data, logFile, settings: SETTINGS, signal, progress, password })
  onStop(cluster.stop)
  const users = Math.min(parts, MAX_USERS)
  const sizes = { large: { parts, users, auditEntries: 10 * users }, small: SMALL }
  const open = async (name: keyof typeof sizes): Promise<Database> => {
    const database = { name, ownerUrl: cluster.urlOf(name), secrets, folder, logFile, size: sizes[name] }
    if (!isLoaded) await asOwner(cluster.urlOf('postgres'), (server) => server`create database ${server(name)}`)
    await script(database, 'migrate.ts')
    if (isLoaded) return database
    await script(database, 'operator.ts', 'catalog', 'import', '--defaults')
    await asOwner(database.ownerUrl, (owner) => load(owner, database, progress))
    return database
  }
  const databases = { large: await open('large'), small: await open('small') }
  await writeFile(loaded, '')
  return databases
}

/** The account of Postgres must pass through, and its data folder has a closed mode. */
async function passableFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o711)
  return folder
}

async function script({ ownerUrl, secrets, folder }: Database, name: string, ...words: string[]): Promise<void> {
  const passwords = SERVICES.map((name) => [`${name.toUpperCase()}_DATABASE_PASSWORD`, secrets.servicePasswords[name]])
  const env = { ...process.env, ...Object.fromEntries(passwords), DATABASE_URL: ownerUrl, NATS_URL: undefined }
  const { code, output } = await run([BUN, join(ROOT, 'scripts', name), ...words], { env })
  if (code !== 0) throw new Refusal(`${tail(output)}\nTo load the data of the benchmark anew, remove ${folder}.`)
}

async function load(owner: Owner, { size, secrets }: Database, progress: Lifecycle['progress']): Promise<void> {
  const { parts, users, auditEntries } = size
  progress(`Loading ${count(users)} users`)
  await loadUsers(owner, { count: users, organizations: users / 100, largest: users / LARGEST_SHARE })
  for (const organization of [LARGEST, ORDINARY]) await insertPassword(owner, organization, secrets)
  progress(`Loading ${count(parts)} parts`)
  await loadParts(owner, { count: parts, organizations: PART_OWNERS })
  if (auditEntries > 0) {
    progress(`Loading ${count(auditEntries)} audit entries`)
    const whose = { orgId: loadedOrganization(ORDINARY), actors: AUDIT_ACTORS, procedures: PROCEDURES }
    await loadAuditLog(owner, { ...whose, count: auditEntries, months: AUDIT_MONTHS }, progress)
  }
  // The event of the catalog import would make the service update all parts during the first measurements.
  await owner`delete from catalog.outbox`
  await owner`checkpoint`
}

/** The password of every administrator that signs in. */
const passwordOf = ({ ownerPassword }: Secrets) => ownerPassword

async function insertPassword(owner: Owner, organization: number, secrets: Secrets): Promise<void> {
  const hash = await Bun.password.hash(passwordOf(secrets))
  await owner`
    insert into identity.credentials (user_id, password_hash, password_version)
    select id, ${hash}, password_version from organization.users
    where org_id = ${loadedOrganization(organization)} and id like 'user_L%' order by id limit 1`
}

export interface Account {
  email: string
  password: string
  hash: string
}

/** The Administrator of a loaded organization. */
export async function administratorOf({ ownerUrl, secrets }: Database, organization: number): Promise<Account> {
  const [account] = await asOwner(
    ownerUrl,
    (owner) => owner<{ email: string; hash: string }[]>`
      select u.email, c.password_hash as hash from organization.users u
      join identity.credentials c on c.user_id = u.id
      where u.org_id = ${loadedOrganization(organization)}`,
  )
  if (!account) throw new Error(`organization ${organization} has no user with a password`)
  return { ...account, password: passwordOf(secrets) }
}
