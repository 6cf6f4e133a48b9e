import { afterAll } from 'bun:test'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServiceName } from '../../proto/services.ts'
import { ApiClient } from './client.ts'
import type { TestDatabase } from './database.ts'
import { freePort } from './free-port.ts'
import { until } from './until.ts'

/** A service in its own process, as in a deployment. */
export interface ServiceProcess {
  client: ApiClient
  health: string
  child: Bun.Subprocess<'ignore', 'ignore', 'pipe'>
}

const running = new Set<Bun.Subprocess>()
afterAll(() => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts a service and waits until it is ready. The process is killed at the end of the test file at the latest. */
export async function startService(
  name: ServiceName,
  db: TestDatabase,
  natsUrl?: string,
  more: Record<string, string> = {},
): Promise<ServiceProcess> {
  const [port, healthPort] = [freePort(), freePort()]
  const child = Bun.spawn([process.execPath, join(import.meta.dir, '..', name, 'main.ts')], {
    env: {
      PATH: process.env.PATH ?? '',
      DATABASE_URL: db.urlOf(name),
      DATABASE_POOL_SIZE: '2',
      PORT: String(port),
      HEALTH_PORT: String(healthPort),
      ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
      LOG_LEVEL: 'silent',
      BUN_CONFIG_MAX_HTTP_REQUESTS: '4096',
      FILES_FOLDER: join(tmpdir(), `files-${db.name}`),
      ...(natsUrl === undefined ? {} : { NATS_URL: natsUrl }),
      ...more,
    },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  running.add(child)
  const health = `http://127.0.0.1:${healthPort}`
  await until(async () => (await fetch(`${health}/readyz`).catch(() => undefined))?.ok, {
    withinMs: 30_000,
    what: `readiness of ${name}`,
  })
  return { client: new ApiClient(`http://127.0.0.1:${port}`), health, child }
}

export async function stopService({ child }: ServiceProcess, signal: NodeJS.Signals): Promise<number> {
  child.kill(signal)
  const code = await child.exited
  running.delete(child)
  return code
}
