import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Glob } from 'bun'
import { PROCEDURES } from '../../../proto/procedures.ts'
import { SERVICES } from '../../../proto/services.ts'
import { loadAuditLog } from '../../../services/testing/load/audit-log.ts'
import { asOwner } from '../../../services/testing/load/owner.ts'
import { loadParts } from '../../../services/testing/load/parts.ts'
import { loadedOrganization, loadUsers } from '../../../services/testing/load/people.ts'
import { readSecrets, type Secrets } from '../../local/secrets.ts'
import { BUN, ROOT } from '../../toolchain/checkout.ts'
import { startCluster, stopOrphan } from '../../toolchain/cluster.ts'
import type { Lifecycle } from '../../toolchain/command.ts'
import { takeLock } from '../../toolchain/lock.ts'
import { run, tail } from '../../toolchain/run.ts'
import { findState } from '../../toolchain/state.ts'

const NAME = 'marketplace'
const PART_OWNERS = 1000
/** The largest organization has a tenth of all users. */
export const LARGEST_SHARE = 10

/** Settings of a small production server; the others are the defaults of Postgres, `fsync` above all. */
const SETTINGS = {
  shared_buffers: '512MB',
  max_connections: '200',
  max_wal_size: '4GB',
  maintenance_work_mem: '256MB',
  // Application name and process id, as `readLog` expects them.
  log_line_prefix: '@@%a|%p|',
}

/** How many records are loaded. */
export interface Size {
  parts: number
  users: number
  auditEntries: number
}
/** A second database, for times that should not depend on the number of records. */
export const SMALL: Size = { parts: 100_000, users: 1000, auditEntries: 0 }

/** The loaded organization with a tenth of all users. */
export const LARGEST = 0
/** A loaded organization with about ninety users, which has the audit log. */
export const ORDINARY = 1

/** Each month of the audit log is a partition. */
export const AUDIT_MONTHS = 24
export const AUDIT_ACTORS = 2000

export interface Database {
  ownerUrl: string
  secrets: Secrets
  /** The folder of this database and its logs. */
  folder: string
  logFile: string
  size: Size
}

/** A migrated database with catalogs, parts and users; reused as long as the migrations and the size are the same. */
export async function openDatabase(size: Size, { signal, progress, onStop }: Lifecycle): Promise<Database> {
  const state = await findState()
  // Kept between runs; the account of Postgres must pass through, and its data folder has a closed mode.
  const place = await passableFolder(join(state.folder, 'bench'))
  // A second benchmark would stop the database of the first.
  onStop(await takeLock({ path: join(place, 'run.json'), script: 'scripts/bench.ts', title: 'A benchmark' }))
  const folder = join(place, `${Object.values(size).join('-')}-${await migrationsChecksum()}`)
  if ((await loadedIn(folder)).length === 0) await replaceOthers(place, folder, size)
  const secrets = await readSecrets(folder)
  const logFile = join(folder, 'postgres.log')
  const data = join(folder, 'postgres')
  await stopOrphan(data)
  const cluster = await startCluster({
    ...{ state, data, logFile, settings: SETTINGS, signal, progress },
    password: secrets.ownerPassword,
  })
  onStop(cluster.stop)
  const database = { ownerUrl: cluster.urlOf(NAME), secrets, folder, logFile, size }
  await loadOnce(database, NAME, () => load(database, progress))
  return database
}

export async function openSmallDatabase(large: Database, { progress }: Pick<Lifecycle, 'progress'>): Promise<Database> {
  const url = new URL(large.ownerUrl)
  url.pathname = `/${NAME}_small`
  const database = { ...large, ownerUrl: url.href, size: SMALL }
  await loadOnce(large, 'small', () => load(database, progress))
  return database
}

/** Loads the audit log of one organization, which takes minutes and serves a single section. */
export const ensureAuditLog = (database: Database, { progress }: Pick<Lifecycle, 'progress'>) =>
  loadOnce(database, 'audit-log', () =>
    asOwner(database.ownerUrl, async (owner) => {
      progress(`Loading ${database.size.auditEntries.toLocaleString('en-US')} audit entries`)
      await loadAuditLog(
        owner,
        {
          orgId: loadedOrganization(ORDINARY),
          count: database.size.auditEntries,
          months: AUDIT_MONTHS,
          actors: AUDIT_ACTORS,
          procedures: PROCEDURES,
        },
        progress,
      )
      await owner`checkpoint`
    }),
  )

const loadedFile = (folder: string) => join(folder, 'loaded.json')

/** The names of completed loads. */
async function loadedIn(folder: string): Promise<string[]> {
  const file = Bun.file(loadedFile(folder))
  return (await file.exists()) ? file.json() : []
}

/** Loads records once. After an interrupted load the next run makes a new database. */
async function loadOnce({ folder }: Database, name: string, work: () => Promise<unknown>): Promise<void> {
  const loaded = await loadedIn(folder)
  if (loaded.includes(name)) return
  await rm(loadedFile(folder), { force: true })
  await work()
  await writeFile(loadedFile(folder), JSON.stringify([...loaded, name]))
}

/** Makes the folder of a database; removes those of the same size with an older schema or an interrupted load. */
async function replaceOthers(place: string, folder: string, { parts }: Size): Promise<void> {
  for (const name of await readdir(place)) {
    if (!name.startsWith(`${parts}-`)) continue
    await stopOrphan(join(place, name, 'postgres'))
    await rm(join(place, name), { recursive: true, force: true })
  }
  await passableFolder(folder)
}

async function passableFolder(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o711)
  return folder
}

async function migrationsChecksum(): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  const paths = await Array.fromAsync(new Glob('services/*/migrations/*.sql').scan({ cwd: ROOT }))
  for (const path of paths.sort()) hasher.update(`${path}\n${await Bun.file(join(ROOT, path)).text()}\n`)
  return hasher.digest('hex').slice(0, 12)
}

async function load({ ownerUrl, secrets, size }: Database, progress: Lifecycle['progress']): Promise<void> {
  const serverUrl = new URL(ownerUrl)
  serverUrl.pathname = '/postgres'
  await asOwner(serverUrl.href, (server) => server`create database ${server(new URL(ownerUrl).pathname.slice(1))}`)
  const passwords = SERVICES.map((name) => [`${name.toUpperCase()}_DATABASE_PASSWORD`, secrets.servicePasswords[name]])
  const env = { ...process.env, ...Object.fromEntries(passwords), DATABASE_URL: ownerUrl, NATS_URL: undefined }
  await script(['migrate.ts'], env)
  await script(['operator.ts', 'catalog', 'import', '--defaults'], env)
  await asOwner(ownerUrl, async (owner) => {
    progress(`Loading ${size.users.toLocaleString('en-US')} users`)
    await loadUsers(owner, { count: size.users, organizations: size.users / 100, largest: size.users / LARGEST_SHARE })
    progress(`Loading ${size.parts.toLocaleString('en-US')} parts`)
    await loadParts(owner, { count: size.parts, organizations: PART_OWNERS })
    await owner`checkpoint`
  })
}

async function script([name = '', ...words]: string[], env: Record<string, string | undefined>): Promise<void> {
  const { code, output } = await run([BUN, join(ROOT, 'scripts', name), ...words], { env })
  if (code !== 0) throw new Error(`scripts/${name} failed:\n${tail(output)}`)
}
