import { join } from 'node:path'
import { BUN } from '../../toolchain/checkout.ts'
import { run, tail } from '../../toolchain/run.ts'
import type { Bench } from '../bench.ts'
import type { RequestText } from '../load/exchange.ts'
import { sendRequests } from '../load/load.ts'
import { type Side, serverSide } from '../load/sides.ts'
import { fastest, type Run } from '../rounds.ts'
import { serverPort } from '../stage/ports.ts'
import { startProgram } from '../stage/programs.ts'
import { environmentOf } from '../stage/services.ts'
import type { SentStatement } from '../stage/statements.ts'
import type { FixedAnswer } from './elysia.ts'

const POOL_SIZES = [2, 4, 8, 16]

/** Bare servers of the first page of parts: what they run on, and whether they join our texts or make JSON of columns. */
export const LIST_SERVERS = {
  'Fastify + pg': { engine: 'fastify', answer: 'rows' },
  'Fastify + pg that joins the same texts': { engine: 'fastify', answer: 'texts' },
  'Go + pgx that joins the same texts': { engine: 'go', answer: 'texts' },
} as const

export type ListServer = keyof typeof LIST_SERVERS

export const hasGo = () => Bun.which('go') !== null

export interface ListReference {
  kind: ListServer
  statement: SentStatement
  /** Of the database, for the role that our own service has. */
  url: string
  /** The body of our own answer: the reference must say the same. */
  wanted: string
}

/** Starts a bare server with each size of pool, keeps the fastest, and answers it at its best. */
export async function startListServer(
  { database, trial, onStop, progress }: Bench,
  { kind, statement, url, wanted }: ListReference,
): Promise<{ side: Side; label: string }> {
  const { engine, answer } = LIST_SERVERS[kind]
  const command = engine === 'go' ? [await buildGoServer(database.folder)] : [BUN, join(import.meta.dir, 'fastify.ts')]
  const servers = await Promise.all(
    POOL_SIZES.map(async (poolSize) => {
      const port = serverPort()
      const env = {
        PATH: process.env.PATH,
        NODE_ENV: 'production',
        PORT: String(port),
        DATABASE_URL: url,
        POOL_SIZE: String(poolSize),
        STATEMENT: statement.text,
        PARAMETERS: JSON.stringify(statement.parameters),
        ANSWER: answer,
      }
      const readyUrl = `http://127.0.0.1:${port}/v1/parts`
      const logFile = join(database.folder, `${engine}-${answer}-${poolSize}.log`)
      const { stop } = await startProgram({ command, env, logFile, readyUrl })
      onStop(stop)
      return { poolSize, port, readyUrl, stop }
    }),
  )
  for (const { readyUrl } of servers) requireSame(await (await fetch(readyUrl)).text(), wanted, kind)
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
  const label = `${engine === 'go' ? 'Go' : 'Fastify on Bun'}, ${side.clients} connections, pool of ${poolSize}`
  progress(`Parts: ${label}`)
  return { side, label }
}

async function buildGoServer(folder: string): Promise<string> {
  const program = join(folder, 'go-list-server')
  const env = { ...process.env, CGO_ENABLED: '0' }
  const command = ['go', 'build', '-C', join(import.meta.dir, 'go'), '-o', program, '.']
  const { code, output } = await run(command, { env, timeoutMs: 10 * 60 * 1000 })
  if (code !== 0) throw new Error(`The Go server could not be built:\n${tail(output)}`)
  return program
}

/** A reference that answers something else would be no reference. */
function requireSame(text: string, wanted: string, kind: ListServer): void {
  const isText = LIST_SERVERS[kind].answer === 'texts'
  const same = isText ? text === wanted : Bun.deepEquals(JSON.parse(text), JSON.parse(wanted))
  if (!same) throw new Error(`${kind} answers something else than the marketplace.`)
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
