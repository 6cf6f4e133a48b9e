import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Glob } from 'bun'
import { SERVICES } from '../../../proto/services.ts'
import { asOwner } from '../../../services/testing/load/owner.ts'
import { loadParts } from '../../../services/testing/load/parts.ts'
import { readSecrets, type Secrets } from '../../local/secrets.ts'
import { BUN, ROOT } from '../../toolchain/checkout.ts'
import { startCluster, stopOrphan } from '../../toolchain/cluster.ts'
import type { Lifecycle } from '../../toolchain/command.ts'
import { run, tail } from '../../toolchain/run.ts'
import type { Place } from './place.ts'

const DATABASE = 'marketplace'
const ORGANIZATIONS = 1000

/** Settings of a small production server; the others are the defaults of Postgres, `fsync` above all. */
const SETTINGS = {
  shared_buffers: '512MB',
  max_connections: '200',
  max_wal_size: '4GB',
  maintenance_work_mem: '256MB',
  // Application name and process id, as `readLog` expects them.
  log_line_prefix: '@@%a|%p|',
}

export interface Database {
  ownerUrl: string
  secrets: Secrets
  /** A folder of this database alone. */
  folder: string
  logFile: string
}

/** A migrated database with catalogs and parts; reused as long as the migrations are the same. */
export async function openDatabase(place: Place, parts: number, lifecycle: Lifecycle): Promise<Database> {
  const { signal, progress, onStop } = lifecycle
  const folder = join(place.folder, `${parts}-${await migrationsChecksum()}`)
  if (!(await Bun.file(loadedFile(folder, 'parts')).exists())) {
    await removeOthers(place.folder, parts)
    await mkdir(folder, { mode: 0o711 })
  }
  const secrets = await readSecrets(folder)
  const logFile = join(folder, 'postgres.log')
  const data = join(folder, 'postgres')
  await stopOrphan(data)
  const cluster = await startCluster({
    ...{ state: place.state, data, logFile, settings: SETTINGS, signal, progress },
    password: secrets.ownerPassword,
  })
  onStop(cluster.stop)
  const database = { ownerUrl: cluster.urlOf(DATABASE), secrets, folder, logFile }
  await loadOnce(database, 'parts', () => load(cluster.urlOf('postgres'), database, parts, progress))
  return database
}

export const SMALL_PARTS = 100_000

/** A second database of the same server with few parts, to show what does not depend on their number. */
export async function openSmallDatabase(large: Database, progress: (line: string) => void): Promise<Database> {
  const [server, small] = [new URL(large.ownerUrl), new URL(large.ownerUrl)]
  server.pathname = '/postgres'
  small.pathname = `/${DATABASE}_small`
  const database = { ...large, ownerUrl: small.href }
  await loadOnce(large, 'small', () => load(server.href, database, SMALL_PARTS, progress))
  return database
}

/** Loads records once; the mark lies beside the database. */
export async function loadOnce({ folder }: Database, name: string, work: () => Promise<unknown>): Promise<void> {
  if (await Bun.file(loadedFile(folder, name)).exists()) return
  await work()
  await writeFile(loadedFile(folder, name), '')
}

const loadedFile = (folder: string, name: string) => join(folder, `loaded-${name}`)

/** Removes databases of the same size that have an older schema or were loaded in part. */
async function removeOthers(folder: string, parts: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${parts}-`)) continue
    await stopOrphan(join(folder, name, 'postgres'))
    await rm(join(folder, name), { recursive: true, force: true })
  }
}

async function migrationsChecksum(): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  const paths = await Array.fromAsync(new Glob('services/*/migrations/*.sql').scan({ cwd: ROOT }))
  for (const path of paths.sort()) hasher.update(`${path}\n${await Bun.file(join(ROOT, path)).text()}\n`)
  return hasher.digest('hex').slice(0, 12)
}

async function load(
  serverUrl: string,
  { ownerUrl, secrets }: Database,
  parts: number,
  progress: Lifecycle['progress'],
) {
  await asOwner(serverUrl, async (server) => {
    const name = new URL(ownerUrl).pathname.slice(1)
    await server`drop database if exists ${server(name)}`
    await server`create database ${server(name)}`
  })
  const passwords = SERVICES.map((name) => [`${name.toUpperCase()}_DATABASE_PASSWORD`, secrets.servicePasswords[name]])
  const env = { ...process.env, ...Object.fromEntries(passwords), DATABASE_URL: ownerUrl, NATS_URL: undefined }
  await step(['migrate.ts'], env)
  await step(['operator.ts', 'catalog', 'import', '--defaults'], env)
  progress(`Loading ${parts.toLocaleString('en-US')} parts`)
  await asOwner(ownerUrl, async (owner) => {
    await loadParts(owner, { count: parts, organizations: ORGANIZATIONS })
    await owner`checkpoint`
  })
}

async function step([script = '', ...words]: string[], env: Record<string, string | undefined>): Promise<void> {
  const { code, output } = await run([BUN, join(ROOT, 'scripts', script), ...words], { env })
  if (code !== 0) throw new Error(`scripts/${script} failed:\n${tail(output)}`)
}
