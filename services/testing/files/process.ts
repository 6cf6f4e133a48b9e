import { join } from 'node:path'
import { ApiClient } from '../client.ts'
import { freePort } from '../free-port.ts'
import type { TestMarketplace } from '../marketplace.ts'
import { until } from '../until.ts'

/** The sourcing service in its own process, to be measured and killed. */
export interface SourcingProcess {
  url: string
  /** A client with the same access token, for this process. */
  clientOf(client: ApiClient): ApiClient
  residentBytes(): Promise<number>
  kill(): Promise<void>
}

/** Starts it on the database and folder of a stopped marketplace. */
export async function startSourcing(
  { db, config }: TestMarketplace,
  more: Record<string, string> = {},
): Promise<SourcingProcess> {
  const [port, healthPort] = [freePort(), freePort()]
  const main = join(import.meta.dir, '..', '..', 'sourcing', 'main.ts')
  const child = Bun.spawn([process.execPath, main], {
    env: {
      PATH: process.env.PATH ?? '',
      DATABASE_URL: db.urlOf('sourcing'),
      DATABASE_POOL_SIZE: '4',
      PORT: String(port),
      HEALTH_PORT: String(healthPort),
      ENCRYPTION_KEYS: config.ENCRYPTION_KEYS,
      FILES_FOLDER: String(config.FILES_FOLDER),
      ALLOW_PRIVATE_ADDRESSES: 'true',
      LOG_LEVEL: 'error',
      PREVIEWS: 'false',
      DRAIN_SECONDS: '0',
      RATE_LIMIT_PER_SECOND: '100000',
      RATE_LIMIT_BURST: '100000',
      ...more,
    },
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
  })
  const ready = () => fetch(`http://127.0.0.1:${healthPort}/readyz`).catch(() => undefined)
  await until(async () => (await ready())?.ok, { withinMs: 30_000, what: 'readiness of sourcing' })
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    clientOf: (client) => new ApiClient(url, client.accessToken),
    async residentBytes() {
      const text = await Bun.spawn(['ps', '-o', 'rss=', '-p', String(child.pid)], { stdin: 'ignore' }).stdout.text()
      return Number(text.trim()) * 1024
    },
    async kill() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

const BLOCK = new Uint8Array(256 * 1024).map((_, n) => (n * 31) % 257)

/** A stream of `bytes` bytes, with a pause before each block. */
export function streamOf(bytes: number, pauseMs = 0): ReadableStream<Uint8Array> {
  let left = bytes
  return new ReadableStream({
    async pull(controller) {
      if (pauseMs > 0) await Bun.sleep(pauseMs)
      const block = BLOCK.subarray(0, Math.min(left, BLOCK.byteLength))
      left -= block.byteLength
      if (block.byteLength > 0) controller.enqueue(block)
      if (left === 0) controller.close()
    },
  })
}

export function sha256Of(bytes: number): string {
  const hash = new Bun.CryptoHasher('sha256')
  for (let left = bytes; left > 0; left -= BLOCK.byteLength)
    hash.update(BLOCK.subarray(0, Math.min(left, BLOCK.byteLength)))
  return hash.digest('hex')
}
