import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectOnce } from '../kit/bus/nats/connection.ts'
import type { NatsOptions } from '../kit/bus/nats/options.ts'
import { freePort } from './free-port.ts'

interface NatsServer {
  url: string
  /** Starts the server and waits for it. `address`: with the credentials that the server requires. */
  start(address?: NatsOptions): Promise<void>
  /** Kills the server without a shutdown; unwritten data are lost. */
  kill(): Promise<void>
  /** Deletes the store of the killed server. */
  emptyStore(): Promise<void>
  close(): Promise<void>
}

/**
 * A real server with JetStream. Its store survives a kill. `configured`: a file among the arguments turns JetStream on
 * and names its store.
 */
export async function natsServer(
  extraArguments: readonly string[] = [],
  { configured = false } = {},
): Promise<NatsServer> {
  const program = process.env.TEST_NATS_SERVER
  if (!program) throw new Error('Run the tests with ./scripts/test: it installs the NATS server.')
  const store = await mkdtemp(join(tmpdir(), 'nats-'))
  const port = freePort()
  const url = `nats://127.0.0.1:${port}`
  let child: Bun.Subprocess | undefined
  const kill = async () => {
    child?.kill('SIGKILL')
    await child?.exited
    child = undefined
  }
  const emptyStore = () => rm(store, { recursive: true, force: true })
  return {
    url,
    async start(address = { url }) {
      const jetStream = configured ? [] : ['-js', '-sd', store]
      child = Bun.spawn([program, '-a', '127.0.0.1', '-p', String(port), ...jetStream, ...extraArguments], {
        stdin: 'ignore',
        stdout: 'ignore',
        stderr: 'ignore',
      })
      for (;;) {
        const session = await connectOnce(address, 'probe').catch(() => undefined)
        const info = await session?.jsm.getAccountInfo().catch(() => undefined)
        await session?.nc.close()
        if (info) return
        await Bun.sleep(20)
      }
    },
    kill,
    emptyStore,
    async close() {
      await kill()
      await emptyStore()
    },
  }
}

interface NatsCluster {
  /** The addresses of all nodes, separated by commas. */
  url: string
  nodes: readonly NatsServer[]
  close(): Promise<void>
}

/** A cluster of real servers that has elected its leader. */
export async function natsCluster(size: number): Promise<NatsCluster> {
  const routes = Array.from({ length: size }, () => `nats://127.0.0.1:${freePort()}`)
  const nodes = await Promise.all(
    routes.map((route, at) =>
      natsServer(['-n', `node-${at}`, '--cluster_name', 'test', '--cluster', route, '--routes', routes.join(',')]),
    ),
  )
  await Promise.all(nodes.map((node) => node.start()))
  return {
    url: nodes.map(({ url }) => url).join(','),
    nodes,
    async close() {
      for (const node of nodes) await node.close()
    },
  }
}
