import { join } from 'node:path'
import { SERVICES, type ServiceName } from '../../../proto/services.ts'
import { serviceUrl } from '../../local/secrets.ts'
import { BUN, ROOT } from '../../toolchain/checkout.ts'
import type { Lifecycle } from '../../toolchain/command.ts'
import { freePort } from '../../toolchain/ports.ts'
import { type RunningProgram, startProgram } from '../../toolchain/programs.ts'
import type { Database } from './database.ts'

export interface RunningService extends RunningProgram {
  port: number
  url: string
}
export type Services = Readonly<Record<ServiceName, RunningService>>

/** Below the range of the ports of outgoing connections. */
let nextPort = 21_000
const serverPort = (): number => freePort(nextPort++)

/** The issuer of the tokens; no server listens there. */
const PUBLIC_URL = 'http://localhost:8080'
/** Limits are checked for each request, but never reached. */
const UNREACHED = '1000000'

/** Starts the services as in production, each in a process of its own. */
export async function startServices(database: Database, onStop: Lifecycle['onStop']): Promise<Services> {
  const entries = SERVICES.map(async (name) => [name, await startService(name, database, onStop)] as const)
  return Object.fromEntries(await Promise.all(entries)) as Services
}

async function startService(
  name: ServiceName,
  { ownerUrl, secrets, folder }: Database,
  onStop: Lifecycle['onStop'],
): Promise<RunningService> {
  const healthPort = serverPort()
  return startServer(onStop, {
    name,
    command: [BUN, join(ROOT, 'services', name, 'main.ts')],
    env: {
      DATABASE_URL: serviceUrl(ownerUrl, name, secrets),
      HEALTH_PORT: String(healthPort),
      PUBLIC_URL,
      ENCRYPTION_KEYS: secrets.encryptionKeys,
      LOG_LEVEL: 'info',
      FILES_FOLDER: join(folder, 'files'),
      UPLOADS_OPEN_MAX: UNREACHED,
      RATE_LIMIT_PER_SECOND: UNREACHED,
      RATE_LIMIT_BURST: UNREACHED,
      BUN_CONFIG_MAX_HTTP_REQUESTS: '4096',
    },
    logFile: join(folder, `${new URL(ownerUrl).pathname.slice(1)}-${name}.log`),
    readyUrl: `http://127.0.0.1:${healthPort}/readyz`,
  })
}

interface Server {
  name: string
  command: readonly string[]
  env: Record<string, string>
  logFile: string
  /** An address, or a path on the server's own port. */
  readyUrl: string
}

/** Starts a service or a reference on a port of its own, stopped at the end of the run. */
export async function startServer(
  onStop: Lifecycle['onStop'],
  { env, readyUrl, ...server }: Server,
): Promise<RunningService> {
  const port = serverPort()
  const url = `http://127.0.0.1:${port}`
  const program = await startProgram({
    ...server,
    readyUrl: new URL(readyUrl, url).href,
    // The same number of threads for all servers.
    env: { PATH: process.env.PATH, NODE_ENV: 'production', PORT: String(port), UV_THREADPOOL_SIZE: '8', ...env },
  })
  onStop(program.stop)
  return { ...program, port, url }
}
