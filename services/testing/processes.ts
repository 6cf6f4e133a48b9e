import { afterAll } from 'bun:test'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServiceName } from '../../proto/services.ts'
import { ApiClient } from './client.ts'
import { type TestDatabase, throughPooler } from './database.ts'
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

/** Starts a service. The process is killed at the end of the test file at the latest. */
export function spawnService(
  name: ServiceName,
  db: Pick<TestDatabase, 'name' | 'urlOf' | 'readUrlOf'>,
  natsUrl?: string,
  more: Record<string, string> = {},
): ServiceProcess {
  const [port, healthPort] = [freePort(), freePort()]
  const child = Bun.spawn([process.execPath, join(import.meta.dir, '..', name, 'main.ts')], {
    env: {
      PATH: process.env.PATH ?? '',
      DATABASE_URL: throughPooler(db.urlOf(name)),
      DATABASE_DIRECT_URL: db.urlOf(name),
      ...(db.readUrlOf ? { DATABASE_READ_URL: db.readUrlOf(name) } : {}),
      DATABASE_POOL_SIZE: '2',
      PORT: String(port),
      HEALTH_PORT: String(healthPort),
      ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
      LOG_LEVEL: 'silent',
      PREVIEWS: 'false',
      DRAIN_SECONDS: '0',
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
  return { client: new ApiClient(`http://127.0.0.1:${port}`), health: `http://127.0.0.1:${healthPort}`, child }
}

/** Starts a service and waits until it is ready. */
export async function startService(...given: Parameters<typeof spawnService>): Promise<ServiceProcess> {
  const [name] = given
  const started = spawnService(...given)
  await until(async () => (await fetch(`${started.health}/readyz`).catch(() => undefined))?.ok, {
    // A process starts in a second; on a shared machine under load it may take most of a minute.
    withinMs: 90_000,
    what: `readiness of ${name}`,
  })
  return started
}

export async function stopService({ child }: ServiceProcess, signal: NodeJS.Signals): Promise<number> {
  child.kill(signal)
  const code = await child.exited
  running.delete(child)
  return code
}
