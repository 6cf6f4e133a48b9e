import { join } from 'node:path'
import { BUN } from '../../toolchain/checkout.ts'
import type { Bench } from '../bench.ts'
import type { RequestText } from '../load/exchange.ts'
import { sendRequests } from '../load/load.ts'
import { type Side, serverSide } from '../load/sides.ts'
import { fastest, type Run } from '../rounds.ts'
import { serverPort } from '../stage/ports.ts'
import { startProgram } from '../stage/programs.ts'
import { environmentOf } from '../stage/services.ts'
import type { FixedAnswer } from './elysia.ts'

const POOL_SIZES = [2, 4, 8, 16]

export interface FastifyReference {
  answer: 'rows' | 'texts'
  statement: string
  /** Of the database, for the role that our own service has. */
  url: string
  /** The body of our own answer: the reference must say the same. */
  wanted: string
}

/** Starts the bare Fastify server with each size of pool, keeps the fastest, and answers it at its best. */
export async function startFastify(
  { database, trial, onStop, progress }: Bench,
  { answer, statement, url, wanted }: FastifyReference,
): Promise<{ side: Side; label: string }> {
  const command = [BUN, join(import.meta.dir, 'fastify.ts')]
  const servers = await Promise.all(
    POOL_SIZES.map(async (poolSize) => {
      const port = serverPort()
      const env = {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        PORT: String(port),
        DATABASE_URL: url,
        POOL_SIZE: String(poolSize),
        STATEMENT: statement,
        ANSWER: answer,
      }
      const readyUrl = `http://127.0.0.1:${port}/v1/parts`
      const logFile = join(database.folder, `fastify-${answer}-${poolSize}.log`)
      const { stop } = await startProgram({ command, env, logFile, readyUrl })
      onStop(stop)
      return { poolSize, port, readyUrl, stop }
    }),
  )
  for (const { readyUrl } of servers) requireSame(await (await fetch(readyUrl)).text(), wanted, answer)
  const request = { path: '/v1/parts' }
  const way =
    (port: number): Run =>
    (seconds) =>
      sendRequests({ port, request, connections: 16, seconds })
  const port = Number(
    await fastest(Object.fromEntries(servers.map((server) => [server.port, way(server.port)])), trial),
  )
  await Promise.all(servers.filter((server) => server.port !== port).map(({ stop }) => stop()))
  const side = await serverSide({ port, request }, trial)
  const poolSize = servers.find((server) => server.port === port)?.poolSize
  const label = `Fastify on Bun, ${side.clients} connections, pool of ${poolSize}`
  progress(`Parts: ${label}`)
  return { side, label }
}

/** A reference that answers something else would be no reference. */
function requireSame(text: string, wanted: string, answer: FastifyReference['answer']): void {
  const same = answer === 'texts' ? text === wanted : Bun.deepEquals(JSON.parse(text), JSON.parse(wanted))
  if (!same) throw new Error('The Fastify server answers something else than the marketplace.')
}

/** A request, and what it is answered. */
export interface Read {
  request: RequestText
  answer: FixedAnswer
}

/** Starts the Elysia server that answers fixed bytes, bare or guarded as ours is. */
export async function startElysia(
  { database, onStop }: Bench,
  guard: 'none' | 'token',
  reads: readonly Read[],
): Promise<{ port: number }> {
  const { port, env } = environmentOf('catalog', database)
  const { stop } = await startProgram({
    command: [BUN, join(import.meta.dir, 'elysia.ts')],
    env: { ...env, GUARD: guard, ANSWERS: JSON.stringify(reads.map(({ answer }) => answer)) },
    logFile: join(database.folder, `elysia-${guard}.log`),
    readyUrl: `http://127.0.0.1:${port}/readyz`,
  })
  onStop(stop)
  for (const { request, answer } of reads) {
    const { path, ...rest } = request
    const text = await (await fetch(`http://127.0.0.1:${port}${path}`, rest)).text()
    if (text !== answer.text) throw new Error(`The Elysia server answers\n${text}\ninstead of\n${answer.text}`)
  }
  return { port }
}
