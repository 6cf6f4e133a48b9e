import { join } from 'node:path'
import { SERVICES, type ServiceName } from '../../../proto/services.ts'
import { serviceUrl } from '../../local/secrets.ts'
import { BUN, ROOT } from '../../toolchain/checkout.ts'
import type { Database } from './database.ts'
import { serverPort } from './ports.ts'
import { type Started, startProgram } from './programs.ts'

export interface RunningService extends Started {
  port: number
  url: string
}
export type Services = Readonly<Record<ServiceName, RunningService>>

/** Nobody answers there: it is only what the tokens name as their issuer. */
const PUBLIC_URL = 'http://localhost:8080'

/** On, and checked for each request, but never reached. */
const LIMIT = '1000000'

/** The environment of one service as in production: everything on, on ports of its own. */
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
    UPLOADS_OPEN_MAX: LIMIT,
    RATE_LIMIT_PER_SECOND: LIMIT,
    RATE_LIMIT_BURST: LIMIT,
    BUN_CONFIG_MAX_HTTP_REQUESTS: '4096',
    UV_THREADPOOL_SIZE: '8',
  }
  return { port, healthPort, env }
}

/** Starts the five services, each in a process of its own. */
export async function startServices(
  database: Database,
  onStop: (undo: () => Promise<void>) => void,
): Promise<Services> {
  const started: Partial<Record<ServiceName, RunningService>> = {}
  for (const service of SERVICES) {
    const { port, healthPort, env } = environmentOf(service, database)
    const running = await startProgram({
      command: [BUN, join(ROOT, 'services', service, 'main.ts')],
      env,
      logFile: join(database.folder, `${service}.log`),
      readyUrl: `http://127.0.0.1:${healthPort}/readyz`,
    })
    onStop(running.stop)
    started[service] = { ...running, port, url: `http://127.0.0.1:${port}` }
  }
  return started as Services
}
