import { chmod, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServiceName } from '../../../proto/services.ts'
import { serviceUrl, testPasswords } from '../../../services/testing/database.ts'
import { BUN, commandFile, ROOT } from '../../toolchain/checkout.ts'
import { type Cluster, type ClusterOptions, startCluster, stopOrphan } from '../../toolchain/cluster.ts'
import type { Lifecycle } from '../../toolchain/command.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { DATABASE_FOLDER } from '../../toolchain/orphans.ts'
import { freePort } from '../../toolchain/ports.ts'
import { type ProcessRecord, send } from '../../toolchain/processes.ts'
import { type Program, type RunningProgram, startProgram, stopProgram } from '../../toolchain/programs.ts'
import { run, tail } from '../../toolchain/run.ts'
import type { State } from '../../toolchain/state.ts'

/** A program that is killed and started again at the same address. */
export interface Victim {
  name: string
  start(): Promise<void>
  /** Kills it with SIGKILL. */
  kill(): Promise<void>
}

/** Below the range of the ports of outgoing connections, which could take the port of a killed program. */
let nextPort = 23_000
function reservePort(): number {
  const port = freePort(nextPort)
  nextPort = Math.max(nextPort, port) + 1
  return port
}

export type Run = Pick<Lifecycle, 'onStop' | 'progress' | 'signal'> & { folder: string }

const RECORD_SUFFIX = '.process.json'

/** Prepares the empty folder of a run. The programs of an earlier run that was killed are stopped. */
export async function prepareFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.endsWith(RECORD_SUFFIX)) continue
    const file = Bun.file(join(folder, name))
    const record: ProcessRecord | undefined = await file.json().catch(() => undefined)
    if (record) await stopProgram(record)
  }
  await stopOrphan(join(folder, DATABASE_FOLDER))
  await rm(folder, { recursive: true, force: true })
  await passableFolder(folder)
}

function victimOf(
  program: Omit<Program, 'logFile' | 'recordFile' | 'signal'>,
  { folder, onStop, signal }: Run,
): Victim {
  const { name } = program
  let running: RunningProgram | undefined
  onStop(async () => running?.stop())
  return {
    name,
    async start() {
      const logFile = join(folder, `${name}.log`)
      running = await startProgram({ ...program, logFile, recordFile: join(folder, `${name}${RECORD_SUFFIX}`), signal })
    },
    async kill() {
      if (!running) return
      send(running.pid, 'SIGKILL')
      await running.exited
      running = undefined
    },
  }
}

export interface Postgres extends Victim {
  ownerUrl: string
  urlOf(service: ServiceName): string
}

/** A server of its own. A commit reaches the system before it is answered, so a killed process loses none. */
export async function startPostgres(state: State, { folder, onStop, progress, signal }: Run): Promise<Postgres> {
  const options: ClusterOptions = {
    state,
    ...{ signal, progress },
    data: join(folder, DATABASE_FOLDER),
    password: crypto.randomUUID(),
    logFile: join(folder, 'postgres.log'),
    preferredPort: reservePort(),
    // Only a crash of the machine would lose data without fsync.
    settings: { fsync: 'off', shared_buffers: '512MB', max_connections: '200', max_wal_size: '2GB' },
  }
  let cluster: Cluster = await startCluster(options)
  const { port } = cluster
  let starts = 1
  onStop(() => cluster.stop())
  const ownerUrl = cluster.urlOf('postgres')
  return {
    name: 'postgres',
    ownerUrl,
    urlOf: (service) => serviceUrl(ownerUrl, service),
    kill: () => cluster.kill(),
    async start() {
      // Sessions of the killed server still write to its log.
      const logFile = join(folder, `postgres-${++starts}.log`)
      cluster = await startCluster({ ...options, logFile, preferredPort: port })
      if (cluster.port !== port)
        throw new CommandError(`Port ${port} of the killed Postgres was taken by another program.`)
    },
  }
}

export interface Nats extends Victim {
  url: string
  /** Kills the server, deletes its store, and starts it without streams. */
  wipe(): Promise<void>
}

export async function startNats(binary: string, run: Run): Promise<Nats> {
  const [port, monitoringPort] = [reservePort(), reservePort()]
  const store = join(run.folder, 'jetstream')
  const victim = victimOf(
    {
      name: 'nats-server',
      command: [binary, '-a', '127.0.0.1', '-p', `${port}`, '-m', `${monitoringPort}`, '-js', '-sd', store],
      env: { PATH: process.env.PATH },
      readyUrl: `http://127.0.0.1:${monitoringPort}/healthz`,
    },
    run,
  )
  await victim.start()
  return {
    ...victim,
    url: `nats://127.0.0.1:${port}`,
    async wipe() {
      await victim.kill()
      await rm(store, { recursive: true })
      await victim.start()
    },
  }
}

/** The addresses of the servers that a service uses. */
export interface Addresses {
  postgres: Postgres
  nats: Nats | undefined
  encryptionKeys: string
}

export interface ServiceVictim extends Victim {
  url: string
}

/** One replica of a service, as in a deployment. */
export async function startReplica(
  service: ServiceName,
  name: string,
  { postgres, nats, encryptionKeys }: Addresses,
  run: Run,
): Promise<ServiceVictim> {
  const [port, healthPort] = [reservePort(), reservePort()]
  const victim = victimOf(
    {
      name,
      command: [BUN, join(ROOT, 'services', service, 'main.ts')],
      readyUrl: `http://127.0.0.1:${healthPort}/readyz`,
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: postgres.urlOf(service),
        PORT: String(port),
        HEALTH_PORT: String(healthPort),
        ENCRYPTION_KEYS: encryptionKeys,
        LOG_LEVEL: 'warn',
        FILES_FOLDER: join(run.folder, 'files'),
        ALLOW_PRIVATE_ADDRESSES: 'true',
        BUN_CONFIG_MAX_HTTP_REQUESTS: '4096',
        ...(nats ? { NATS_URL: nats.url } : {}),
      },
    },
    run,
  )
  await victim.start()
  return { ...victim, url: `http://127.0.0.1:${port}` }
}

export interface Receiver extends Victim {
  urlOf(endpoint: number): string
  /** The file of its receipts. */
  receipts: string
}

export async function startReceiver(run: Run): Promise<Receiver> {
  const port = reservePort()
  const receipts = join(run.folder, 'receipts.txt')
  const victim = victimOf(
    {
      name: 'receiver',
      command: [BUN, join(import.meta.dir, 'receiver.ts')],
      readyUrl: `http://127.0.0.1:${port}/`,
      env: { PATH: process.env.PATH, PORT: String(port), RECEIPTS: receipts },
    },
    run,
  )
  await victim.start()
  return { ...victim, receipts, urlOf: (endpoint) => `http://127.0.0.1:${port}/${endpoint}` }
}

/** Runs a script of the operator against the servers. */
export async function runScript({ postgres, nats }: Addresses, name: string, ...words: string[]): Promise<void> {
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: postgres.ownerUrl,
    ...Object.fromEntries(
      Object.entries(testPasswords).map(([service, password]) => [
        `${service.toUpperCase()}_DATABASE_PASSWORD`,
        password,
      ]),
    ),
    ...(nats ? { NATS_URL: nats.url } : {}),
  }
  const { code, output } = await run([BUN, commandFile(name), ...words], { env })
  if (code !== 0) throw new CommandError(`./scripts/${name} failed:\n${tail(output)}`)
}

/** A folder through which the account of Postgres may pass. */
export async function passableFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o711)
}
