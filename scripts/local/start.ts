import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { SQL } from 'bun'
import { SERVICES, type ServiceName } from '../../proto/services.ts'
import { BUN, ROOT } from '../toolchain/checkout.ts'
import { startCluster } from '../toolchain/cluster.ts'
import { aborted, type Lifecycle } from '../toolchain/command.ts'
import { takeLock } from '../toolchain/lock.ts'
import { DATABASE_FOLDER, SERVICES_RECORD, stopOrphans } from '../toolchain/orphans.ts'
import { installPackages } from '../toolchain/packages.ts'
import { freePort, portFrom, requireFreePort } from '../toolchain/ports.ts'
import { startProgram } from '../toolchain/programs.ts'
import { Refusal, sentenceFor } from '../toolchain/refusal.ts'
import { run, tail } from '../toolchain/run.ts'
import { ACCOUNTS_FILE, findState, type State } from '../toolchain/state.ts'
import type { Options } from './options.ts'
import { readSecrets, type Secrets, serviceUrl, writeSecrets } from './secrets.ts'
import { readAccounts, welcome } from './welcome.ts'

/** Starts the marketplace; returns when a part of it has stopped, with the reason. */
export async function start(options: Options, lifecycle: Lifecycle): Promise<string> {
  const { signal, onStop, progress } = lifecycle
  const port = portFrom('PORT', 8080)
  const healthPort = portFrom('HEALTH_PORT', 0) || freePort()
  const address = `http://localhost:${port}`
  const given = process.env.DATABASE_URL || undefined
  if (given && options.reset) {
    throw new Refusal(
      '--reset removes only the embedded database: empty the database of DATABASE_URL yourself and start without --reset.',
    )
  }
  await installPackages(progress)
  const state = await findState()
  const launcher = { path: join(state.folder, 'launcher.json'), script: 'scripts/dev.ts', title: 'This checkout' }
  onStop(await takeLock({ ...launcher, address }))
  await stopOrphans(state.folder)
  if (options.reset) await reset(state)
  requireFreePort('PORT', port)
  requireFreePort('HEALTH_PORT', healthPort)

  const secrets = await readSecrets(state.folder)
  const database = given
    ? { url: await reachable(given), exited: new Promise<number>(() => {}) }
    : await embeddedDatabase(state, secrets, lifecycle)
  signal.throwIfAborted()
  const owner = { DATABASE_URL: database.url }
  const env = environment({ secrets, url: database.url, port, healthPort, filesFolder: join(state.folder, 'files') })

  progress('Migrating')
  await step('The migration', 'scripts/migrate.ts', { ...process.env, ...owner, ...passwords(secrets) }, signal)
  progress('Starting the services')
  const logFile = join(state.folder, 'services.log')
  const services = await startProgram({
    name: 'The services',
    command: [
      BUN,
      '--max-http-header-size=262144',
      ...(options.watch ? ['--watch'] : []),
      join(ROOT, 'services', 'all', 'main.ts'),
    ],
    readyUrl: `http://127.0.0.1:${healthPort}/readyz`,
    recordFile: join(state.folder, SERVICES_RECORD),
    ...{ env, logFile, signal, progress },
  })
  onStop(services.stop)
  progress('Loading demo data')
  const seedEnv = { ...env, ...owner, BASE_URL: address, ACCOUNTS_FILE }
  await step('The demo data', 'scripts/seed.ts', seedEnv, signal)

  console.log(welcome(address, await readAccounts(ACCOUNTS_FILE), logFile))
  return Promise.race([
    aborted(signal),
    services.exited,
    database.exited.then(() => `Postgres stopped; ${join(state.folder, 'postgres.log')} says why.`),
  ])
}

/** Removes all state but the launcher's lock, the copy of the Postgres programs, and the data of tests and of the benchmark. */
async function reset({ folder, programs }: State): Promise<void> {
  await rm(ACCOUNTS_FILE, { force: true })
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const kept = ['launcher.json', 'id', 'bench'].includes(name) || name.startsWith('test-')
    if (!kept && !programs.startsWith(`${path}/`)) await rm(path, { recursive: true, force: true })
  }
}

async function embeddedDatabase(
  state: State,
  secrets: Secrets,
  { onStop, signal, progress }: Lifecycle,
): Promise<{ url: string; exited: Promise<number> }> {
  progress('Starting Postgres')
  const cluster = await startCluster({
    state,
    data: join(state.folder, DATABASE_FOLDER),
    password: secrets.ownerPassword,
    logFile: join(state.folder, 'postgres.log'),
    // Most of a laptop's memory belongs to other programs.
    settings: { shared_buffers: '128MB', max_connections: '200' },
    preferredPort: secrets.databasePort,
    signal,
    progress,
  })
  onStop(cluster.stop)
  await writeSecrets(state.folder, { ...secrets, databasePort: cluster.port })
  return { url: cluster.urlOf('postgres'), exited: cluster.exited }
}

/** Refuses a database that does not answer, before the migration reports it as an error. */
async function reachable(url: string): Promise<string> {
  if (!URL.canParse(url))
    throw new Refusal('DATABASE_URL is not a URL of the form postgres://owner:password@host:5432/database.')
  const sql = new SQL(url, { max: 1, connectionTimeout: 5 })
  try {
    await sql`select 1`
    return url
  } catch (error) {
    throw new Refusal(
      `The database of DATABASE_URL does not answer: ${error instanceof Error ? error.message : error}.`,
    )
  } finally {
    await sql.close({ timeout: 1 }).catch(() => {})
  }
}

interface Configuration {
  secrets: Secrets
  url: string
  port: number
  healthPort: number
  filesFolder: string
}

function environment({ secrets, url, port, healthPort, filesFolder }: Configuration) {
  const { DATABASE_URL: _owners, ...inherited } = process.env
  return {
    PUBLIC_URL: `http://localhost:${port}`,
    LOG_LEVEL: 'info',
    FILES_FOLDER: filesFolder,
    // Webhooks and imports on a laptop go to the laptop itself.
    ALLOW_PRIVATE_ADDRESSES: 'true',
    ...inherited,
    ...forEachService('DATABASE_URL', (service) => serviceUrl(url, service, secrets)),
    // Demo accounts are reachable from this machine only, unless HOST says otherwise.
    HOST: '127.0.0.1',
    ...(process.env.HOST ? { HOST: process.env.HOST } : {}),
    PORT: String(port),
    HEALTH_PORT: String(healthPort),
    ENCRYPTION_KEYS: secrets.encryptionKeys,
    // 300 endpoints that hang must not block requests to a healthy one.
    BUN_CONFIG_MAX_HTTP_REQUESTS: '4096',
    // Bun's default is a thread for each core; on few cores, file requests would wait for other writes.
    UV_THREADPOOL_SIZE: '8',
  }
}

const passwords = ({ servicePasswords }: Secrets) =>
  forEachService('DATABASE_PASSWORD', (service) => servicePasswords[service])

const forEachService = (suffix: string, value: (service: ServiceName) => string) =>
  Object.fromEntries(SERVICES.map((service) => [`${service.toUpperCase()}_${suffix}`, value(service)]))

/** Runs one script of the start; its output is shown only when it fails. */
async function step(name: string, script: string, env: Record<string, string | undefined>, signal: AbortSignal) {
  const { code, output } = await run([BUN, join(ROOT, script)], { env, signal })
  signal.throwIfAborted()
  if (code === 0) return
  const known = /ENOSPC|No space left|was changed after/.test(output) ? sentenceFor(output) : undefined
  throw new Refusal(known ?? `${name} failed:\n${tail(output, 40)}`)
}
