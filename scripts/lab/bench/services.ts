import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { SERVICES, type ServiceName } from '../../../proto/services.ts'
import { ApiClient } from '../../../services/testing/client.ts'
import { BUN, ROOT } from '../../toolchain/checkout.ts'
import type { Lifecycle } from '../../toolchain/command.ts'
import { freePort } from '../../toolchain/ports.ts'
import { type RunningProgram, startProgram } from '../../toolchain/programs.ts'
import { installNats } from '../../toolchain/test-servers.ts'
import { administratorOf, createStreams, type Database, ORDINARY, urlOfService } from './database.ts'

export interface RunningServer extends RunningProgram {
  port: number
  url: string
}

/** The services over one database. */
export interface Platform {
  database: Database
  services: Readonly<Record<ServiceName, RunningServer>>
}

/** Below the range of the ports of outgoing connections. */
let nextPort = 21_000
const serverPort = (): number => freePort(nextPort++)

/** Limits are checked for each request, but never reached. */
const UNREACHED = '1000000'

/** Starts a nats-server with the streams of a database. */
export async function startBus(database: Database, lifecycle: Lifecycle): Promise<string> {
  const [program, port, monitoringPort] = [await installNats(lifecycle), serverPort(), serverPort()]
  const store = join(database.folder, 'jetstream')
  await rm(store, { recursive: true, force: true })
  await startServer(
    { database, onStop: lifecycle.onStop },
    {
      name: 'nats-server',
      command: [program, '-a', '127.0.0.1', '-p', `${port}`, '-m', `${monitoringPort}`, '-js', '-sd', store],
      env: {},
      readyUrl: `http://127.0.0.1:${monitoringPort}/healthz`,
    },
  )
  const url = `nats://127.0.0.1:${port}`
  await createStreams(database, url)
  return url
}

/** Starts the services as in production, each in a process of its own. Without a broker their bus is Postgres. */
export async function startServices(
  database: Database,
  onStop: Lifecycle['onStop'],
  natsUrl?: string,
): Promise<Platform> {
  const start = async (service: ServiceName) => [service, await startReplica({ database, onStop }, service, natsUrl)]
  return { database, services: Object.fromEntries(await Promise.all(SERVICES.map(start))) }
}

/** Starts a process of a service. */
export function startReplica(
  place: Place,
  service: ServiceName,
  natsUrl?: string,
  env: Record<string, string> = {},
): Promise<RunningServer> {
  const { name, secrets, folder } = place.database
  const healthPort = serverPort()
  return startServer(place, {
    name: `${service}-${name}-${healthPort}`,
    command: [BUN, join(ROOT, 'services', service, 'main.ts')],
    env: {
      DATABASE_URL: urlOfService(place.database, service),
      ...(natsUrl === undefined ? {} : { NATS_URL: natsUrl }),
      HEALTH_PORT: String(healthPort),
      ENCRYPTION_KEYS: secrets.encryptionKeys,
      // The issuer of the tokens; no server listens there.
      PUBLIC_URL: 'http://localhost:8080',
      FILES_FOLDER: join(folder, 'files'),
      // Webhooks are sent to a receiver on this machine.
      ALLOW_PRIVATE_ADDRESSES: 'true',
      UPLOADS_OPEN_MAX: UNREACHED,
      RATE_LIMIT_PER_SECOND: UNREACHED,
      RATE_LIMIT_BURST: UNREACHED,
      BUN_CONFIG_MAX_HTTP_REQUESTS: '4096',
      DRAIN_SECONDS: '0',
      ...env,
    },
    readyUrl: `http://127.0.0.1:${healthPort}/readyz`,
  })
}

/** Where a server keeps its log, and what stops it. */
type Place = { database: Database } & Pick<Lifecycle, 'onStop'>

interface Server {
  name: string
  command: readonly string[]
  env: Record<string, string>
  /** An address, or a path on the server's own port. */
  readyUrl: string
}

/** Starts a service or a reference on a port of its own, stopped at the end of the run. */
export async function startServer(
  { database: { folder }, onStop }: Place,
  { name, command, env, readyUrl }: Server,
): Promise<RunningServer> {
  const port = serverPort()
  const url = `http://127.0.0.1:${port}`
  const program = await startProgram({
    ...{ name, command },
    readyUrl: new URL(readyUrl, url).href,
    logFile: join(folder, `${name}.log`),
    // The same number of threads and the same memory for all servers; the memory is that of a pod of the chart.
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PORT: String(port),
      UV_THREADPOOL_SIZE: '8',
      BUN_JSC_forceRAMSize: String(512 * 1024 * 1024),
      ...env,
    },
  })
  onStop(program.stop)
  return { ...program, port, url }
}

/** A new session of an administrator, whose requests go to a service. */
export async function signIn(
  { database, services }: Platform,
  service: ServiceName,
  orgId = ORDINARY,
): Promise<ApiClient> {
  const { email, password } = await administratorOf(database, orgId)
  const client = new ApiClient(services.identity.url)
  await client.signIn(email, password)
  client.url = services[service].url
  return client
}
