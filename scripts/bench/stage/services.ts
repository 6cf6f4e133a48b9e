import { join } from 'node:path'
import type { ServiceName } from '../../../proto/services.ts'
import { serviceUrl } from '../../local/secrets.ts'
import { BUN, ROOT } from '../../toolchain/checkout.ts'
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
export const serverPort = (): number => freePort(nextPort++)

/** The issuer of the tokens; no server listens there. */
const PUBLIC_URL = 'http://localhost:8080'
/** Limits are checked for each request, but never reached. */
const UNREACHED = '1000000'

/** The environment of one service as in production, on ports of its own. */
export function environmentOf(service: ServiceName, { ownerUrl, secrets, folder }: Database) {
  const port = serverPort()
  const healthPort = serverPort()
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    DATABASE_URL: serviceUrl(ownerUrl, service, secrets),
    PORT: String(port),
    HEALTH_PORT: String(healthPort),
    PUBLIC_URL,
    ENCRYPTION_KEYS: secrets.encryptionKeys,
    LOG_LEVEL: 'info',
    FILES_FOLDER: join(folder, 'files'),
    UPLOADS_OPEN_MAX: UNREACHED,
    RATE_LIMIT_PER_SECOND: UNREACHED,
    RATE_LIMIT_BURST: UNREACHED,
    BUN_CONFIG_MAX_HTTP_REQUESTS: '4096',
    UV_THREADPOOL_SIZE: '8',
  }
  return { port, healthPort, env }
}

/** Starts services, each in a process of its own. */
export async function startServices<Name extends ServiceName>(
  database: Database,
  onStop: (step: () => Promise<void>) => void,
  names: readonly Name[],
): Promise<Readonly<Record<Name, RunningService>>> {
  const started: Partial<Record<Name, RunningService>> = {}
  for (const name of names) {
    const { port, healthPort, env } = environmentOf(name, database)
    const program = await startProgram({
      name,
      command: [BUN, join(ROOT, 'services', name, 'main.ts')],
      env,
      logFile: join(database.folder, `${new URL(database.ownerUrl).pathname.slice(1)}-${name}.log`),
      readyUrl: `http://127.0.0.1:${healthPort}/readyz`,
    })
    onStop(program.stop)
    started[name] = { ...program, port, url: `http://127.0.0.1:${port}` }
  }
  return started as Readonly<Record<Name, RunningService>>
}
