import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SERVICES } from '../../../proto/services.ts'
import { connect, type Pool } from '../../../services/kit/db/client.ts'
import { migrationsOf } from '../../../services/kit/migrate/files.ts'
import { migrate } from '../../../services/kit/migrate/migrate.ts'
import { loadParts } from '../../../services/testing/load/parts.ts'
import { readSecrets, type Secrets } from '../../local/secrets.ts'
import { importDefaults } from '../../operations/catalog.ts'
import { startCluster, stopOrphan } from '../../toolchain/cluster.ts'
import type { Place } from './place.ts'

const DATABASE = 'marketplace'
const LOADED = 'loaded'
const ORGANIZATIONS = 1000

/** As a small production server has them; what is not named is Postgres's default, `fsync` above all. */
const SETTINGS = {
  shared_buffers: '512MB',
  max_connections: '200',
  max_wal_size: '4GB',
  maintenance_work_mem: '256MB',
  // Statements are compared as the server shows them, which by default is their first kilobyte.
  track_activity_query_size: '16384',
}

export interface Database {
  ownerUrl: string
  secrets: Secrets
  /** A folder of this database alone, for what goes with it. */
  folder: string
}

export interface Surroundings {
  place: Place
  parts: number
  signal: AbortSignal
  onStop: (undo: () => Promise<void>) => void
  progress: (line: string) => void
}

/** A migrated database with catalogs and parts: the one of an earlier run where its migrations are still the same. */
export async function openDatabase({ place, parts, signal, onStop, progress }: Surroundings): Promise<Database> {
  const name = `${parts}-${await migrationsChecksum()}`
  const folder = join(place.folder, name)
  const loaded = Bun.file(join(folder, LOADED))
  if (!(await loaded.exists())) {
    await removeOthers(place.folder, parts)
    await mkdir(folder, { mode: 0o711 })
  }
  const secrets = await readSecrets(folder)
  const data = join(folder, 'postgres')
  await stopOrphan(data)
  const cluster = await startCluster({
    state: place.state,
    data,
    password: secrets.ownerPassword,
    logFile: join(folder, 'postgres.log'),
    settings: SETTINGS,
    signal,
    progress,
  })
  onStop(cluster.stop)
  const ownerUrl = cluster.urlOf(DATABASE)
  if (!(await loaded.exists())) {
    await load(cluster.urlOf('postgres'), ownerUrl, { secrets, parts, progress })
    await writeFile(loaded.name ?? '', '')
  }
  return { ownerUrl, secrets, folder }
}

export const SMALL_PARTS = 100_000

/** A second database in the same cluster, with few parts: what does not grow with their number is shown against it. */
export async function ensureSmallDatabase(
  { ownerUrl, secrets, folder }: Database,
  progress: Surroundings['progress'],
): Promise<string> {
  const [server, small] = [new URL(ownerUrl), new URL(ownerUrl)]
  server.pathname = '/postgres'
  small.pathname = `/${DATABASE}_small`
  const loaded = Bun.file(join(folder, `${LOADED}-small`))
  if (!(await loaded.exists())) {
    await load(server.href, small.href, { secrets, parts: SMALL_PARTS, progress })
    await writeFile(loaded.name ?? '', '')
  }
  return small.href
}

/** Databases of the same size that an older schema, or a run that was interrupted, left. */
async function removeOthers(folder: string, parts: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${parts}-`)) continue
    await stopOrphan(join(folder, name, 'postgres'))
    await rm(join(folder, name), { recursive: true, force: true })
  }
}

async function migrationsChecksum(): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  for (const service of SERVICES) {
    for (const { name, path } of await migrationsOf(service)) {
      hasher.update(`${service}/${name}\n${await Bun.file(path).text()}\n`)
    }
  }
  return hasher.digest('hex').slice(0, 12)
}

interface Contents {
  secrets: Secrets
  parts: number
  progress: Surroundings['progress']
}

async function load(serverUrl: string, ownerUrl: string, { secrets, parts, progress }: Contents): Promise<void> {
  await withOwner(serverUrl, async (server) => {
    const name = new URL(ownerUrl).pathname.slice(1)
    await server`drop database if exists ${server(name)}`
    await server`create database ${server(name)}`
  })
  await migrate({ url: ownerUrl, passwords: secrets.servicePasswords })
  await importDefaults(ownerUrl)
  progress(`Loading ${parts.toLocaleString('en-US')} parts`)
  await withOwner(ownerUrl, async (owner) => {
    await loadParts(owner, { count: parts, organizations: ORGANIZATIONS })
    await owner`checkpoint`
  })
}

async function withOwner(url: string, work: (owner: Pool) => Promise<void>): Promise<void> {
  const owner = connect(url, { max: 1, applicationName: 'bench-load' })
  try {
    await work(owner)
  } finally {
    await owner.end({ timeout: 5 })
  }
}
