import { appendFile, exists, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { SERVICES, type ServiceName } from '../../../proto/services.ts'
import type { AllConfig } from '../../../services/all/config.ts'
import { BUN, commandFile, ROOT } from '../../toolchain/checkout.ts'
import { startCluster } from '../../toolchain/cluster.ts'
import { aborted, type Lifecycle } from '../../toolchain/command.ts'
import { CommandError, sentenceFor } from '../../toolchain/command-error.ts'
import { withLowPriority } from '../../toolchain/installation.ts'
import { takeLock } from '../../toolchain/lock.ts'
import { DATABASE_FOLDER, SERVICES_RECORD, stopOrphans } from '../../toolchain/orphans.ts'
import { installPackages } from '../../toolchain/packages.ts'
import { portFrom, requireFreePort, requireHost } from '../../toolchain/ports.ts'
import { startProgram } from '../../toolchain/programs.ts'
import { run, tail } from '../../toolchain/run.ts'
import { canPack } from '../../toolchain/served-clients.ts'
import { ACCOUNTS_FILE, findState, type State } from '../../toolchain/state.ts'
import { createSteps } from '../../toolchain/steps.ts'
import { requireDatabase, requireNats } from './connections.ts'
import type { Options } from './options.ts'
import { readSecrets, type Secrets, serviceUrl, writeSecrets } from './secrets.ts'
import { followLog } from './service-log.ts'
import { readAccounts, welcome } from './welcome.ts'

/** Starts the marketplace. Returns the reason when a process of it has stopped. */
export async function start(options: Options, lifecycle: Lifecycle): Promise<string> {
  const { signal, onStop } = lifecycle
  const { step, progress } = createSteps()
  const port = portFrom('PORT', 8080)
  // Without HEALTH_PORT the services choose a free port themselves, so that no other program can take it before.
  const healthPort = portFrom('HEALTH_PORT', 0)
  const address = `http://localhost:${port}`
  const host = process.env.HOST || '127.0.0.1'
  const configuredUrl = process.env.DATABASE_URL || undefined
  if (configuredUrl && options.reset) {
    throw new CommandError(
      '--reset removes only the embedded database: empty the database of DATABASE_URL yourself and start without --reset.',
    )
  }
  await requireHost(host)
  await step('Checking packages', () => installPackages(progress, 'production'))
  const state = await findState()
  const launcher = {
    path: join(state.folder, 'launcher.json'),
    script: 'scripts/commands/dev/main.ts',
    title: 'This checkout',
  }
  onStop(await takeLock({ ...launcher, address }))
  await stopOrphans(state.folder)
  const incomplete = join(state.folder, 'demo-data-incomplete')
  const isIncomplete = await Bun.file(incomplete).exists()
  if (isIncomplete && !configuredUrl)
    progress('The last start was stopped while it loaded the demo data; it begins anew.')
  if (options.reset || (isIncomplete && !configuredUrl)) await reset(state)
  const isNew = configuredUrl === undefined && !(await exists(join(state.folder, DATABASE_FOLDER)))
  requireFreePort('PORT', port)
  if (healthPort > 0) requireFreePort('HEALTH_PORT', healthPort)
  if (process.env.NATS_URL) await requireNats(process.env.NATS_URL)

  const { mailbox, settings: mail } = await mailSettings(onStop)
  const secrets = await readSecrets(state.folder)
  const filesFolder = join(state.folder, 'files')
  const environmentAt = (url: string) =>
    environment({ secrets, url, host, port, healthPort, filesFolder, mail, verbose: options.verbose })
  await requireConfiguration(environmentAt('postgres://postgres@127.0.0.1/postgres'))
  const database = configuredUrl
    ? { url: await requireDatabase(configuredUrl), exited: new Promise<number>(() => {}) }
    : await step('Starting Postgres', () => embeddedDatabase(state, secrets, { signal, onStop, progress }))
  signal.throwIfAborted()
  // Only the first start with a database may leave one without the demo data, which the next start replaces.
  if (isNew) await Bun.write(incomplete, '')
  const owner = { DATABASE_URL: database.url }
  const env = environmentAt(database.url)

  const migrationEnv = { ...process.env, ...owner, ...passwords(secrets) }
  await step('Migrating', () => runScript('The migration', 'scripts/commands/migrate/main.ts', migrationEnv, signal))
  const logFile = join(state.folder, 'services.log')
  const services = await step('Starting the services', () =>
    startProgram({
      name: 'The services',
      command: [
        BUN,
        '--max-http-header-size=262144',
        ...(options.watch ? ['--watch', '--no-clear-screen'] : []),
        join(ROOT, 'services', 'all', 'main.ts'),
      ],
      // The port opens when every service is ready.
      readyUrl: `http://127.0.0.1:${port}/.well-known/jwks.json`,
      recordFile: join(state.folder, SERVICES_RECORD),
      ...{ env, logFile, signal, progress },
    }),
  )
  onStop(services.stop)
  const seedEnv = { ...env, ...owner, BASE_URL: address, ACCOUNTS_FILE }
  await step('Loading demo data', () => runScript('The demo data', 'scripts/commands/seed/main.ts', seedEnv, signal))
  await rm(incomplete, { force: true })

  buildClients(logFile, signal)
  console.log(welcome({ address, mailbox }, await readAccounts(ACCOUNTS_FILE), logFile))
  return Promise.race([
    aborted(signal),
    followLog(logFile, signal, { verbose: options.verbose, print: console.error }).then(() => aborted(signal)),
    services.exited,
    database.exited.then(() => `Postgres stopped; see ${join(state.folder, 'postgres.log')}.`),
  ])
}

/**
 * Builds the packages of the clients beside the running marketplace, where the packages of development are installed. A
 * failure is a line in the log of the services, which is printed.
 */
function buildClients(logFile: string, signal: AbortSignal): void {
  if (!canPack()) return
  const command = [BUN, commandFile('client'), '--served']
  void run(withLowPriority(command), { signal }).then(async ({ code, output }) => {
    if (code !== 0 && !signal.aborted)
      await appendFile(logFile, `/clients has no packages, because they could not be built: ${tail(output, 1)}\n`)
  })
}

/** A mailbox that shows the mails, unless SMTP_URL names a server that sends them. */
async function mailSettings(onStop: Lifecycle['onStop']) {
  if (process.env.SMTP_URL) return { mailbox: undefined, settings: {} }
  // Its modules need the packages, which are installed now.
  const { startMailbox } = await import('./mailbox.ts')
  const { smtpUrl, pageUrl, stop } = await startMailbox()
  onStop(stop)
  const settings = {
    SMTP_URL: smtpUrl,
    MAIL_FROM: 'Local marketplace <no-reply@localhost.example>',
    MAIL_DELAY_SECONDS: '5',
  }
  return { mailbox: pageUrl, settings }
}

/**
 * Refuses invalid variables of the services before Postgres starts. Its modules need the packages, which are installed
 * now.
 */
async function requireConfiguration(env: Record<string, string | undefined>): Promise<void> {
  const { allProblems, allVariables } = await import('../../../services/all/config.ts')
  const { readConfig } = await import('../../../services/kit/config/read.ts')
  readConfig(allVariables, env, (values) => allProblems(values as AllConfig))
}

/**
 * Removes all state except the launcher's lock, the copy of the Postgres programs, and the data of tests and of the
 * benchmark.
 */
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
  const cluster = await startCluster({
    state,
    data: join(state.folder, DATABASE_FOLDER),
    password: secrets.ownerPassword,
    logFile: join(state.folder, 'postgres.log'),
    // Small, because other programs of a laptop need the memory.
    settings: { shared_buffers: '128MB', max_connections: '200' },
    preferredPort: secrets.databasePort,
    signal,
    progress,
  })
  onStop(cluster.stop)
  await writeSecrets(state.folder, { ...secrets, databasePort: cluster.port })
  return { url: cluster.urlOf('postgres'), exited: cluster.exited }
}

interface Configuration {
  secrets: Secrets
  url: string
  host: string
  port: number
  healthPort: number
  filesFolder: string
  /** The variables of a mailbox, if there is one. */
  mail: Record<string, string>
  /** The log needs the lines of requests. */
  verbose: boolean
}

function environment({ secrets, url, host, port, healthPort, filesFolder, mail, verbose }: Configuration) {
  const { DATABASE_URL: _owners, ...inherited } = process.env
  return {
    PUBLIC_URL: `http://localhost:${port}`,
    LOG_LEVEL: 'info',
    DRAIN_SECONDS: '0',
    FILES_FOLDER: filesFolder,
    // Webhooks and imports of a local marketplace use addresses of this machine.
    ALLOW_PRIVATE_ADDRESSES: 'true',
    // The mailbox page has the links, and the operator among the accounts decides.
    REGISTRATION: 'approval',
    ...mail,
    ...inherited,
    ...(inherited.SMTP_URL ? {} : { SMTP_URL: mail.SMTP_URL }),
    ...(verbose && process.env.LOG_LEVEL !== 'debug' ? { LOG_LEVEL: 'info' } : {}),
    ...forEachService('DATABASE_URL', (service) => serviceUrl(url, service, secrets)),
    // Demo accounts are reachable from this machine only, unless HOST says otherwise.
    HOST: host,
    PORT: String(port),
    HEALTH_PORT: String(healthPort),
    ENCRYPTION_KEYS: secrets.encryptionKeys,
    // Webhook endpoints that hang must not block requests to other endpoints.
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
async function runScript(name: string, script: string, env: Record<string, string | undefined>, signal: AbortSignal) {
  const { code, output } = await run([BUN, join(ROOT, script)], { env, signal })
  signal.throwIfAborted()
  if (code === 0) return
  const known = /ENOSPC|No space left|was changed after/.test(output) ? sentenceFor(output) : undefined
  throw new CommandError(known ?? `${name} failed:\n${tail(output, 40)}`)
}
