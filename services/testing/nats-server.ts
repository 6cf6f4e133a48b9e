import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectOnce } from '../kit/bus/nats/connection.ts'

export interface NatsServer {
  url: string
  /** With the address that opens it, where it is guarded. */
  start(address?: string): Promise<void>
  /** No goodbye: what was not written is gone. */
  kill(): Promise<void>
  close(): Promise<void>
}

/** A real server with JetStream on a store of its own, which survives a kill. */
export async function natsServer(extraArguments: readonly string[] = []): Promise<NatsServer> {
  const program = process.env.TEST_NATS_SERVER
  if (!program) throw new Error('Run the tests with ./scripts/test: it brings the NATS server they need.')
  const store = await mkdtemp(join(tmpdir(), 'nats-'))
  const port = await freePort()
  const url = `nats://127.0.0.1:${port}`
  let child: Bun.Subprocess | undefined
  const kill = async () => {
    child?.kill('SIGKILL')
    await child?.exited
    child = undefined
  }
  return {
    url,
    async start(address = url) {
      child = Bun.spawn([program, '-a', '127.0.0.1', '-p', String(port), '-js', '-sd', store, ...extraArguments], {
        stdin: 'ignore',
        stdout: 'ignore',
        stderr: 'ignore',
      })
      for (;;) {
        const session = await connectOnce({ url: address }, 'probe').catch(() => undefined)
        const info = await session?.jsm.getAccountInfo().catch(() => undefined)
        await session?.nc.close()
        if (info) return
        await Bun.sleep(20)
      }
    },
    kill,
    async close() {
      await kill()
      await rm(store, { recursive: true, force: true })
    },
  }
}

function freePort(): Promise<number> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
