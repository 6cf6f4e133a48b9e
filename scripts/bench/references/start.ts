import { join } from 'node:path'
import { BUN } from '../../toolchain/checkout.ts'
import { startProgram } from '../../toolchain/programs.ts'
import { run, tail } from '../../toolchain/run.ts'
import type { Context } from '../context.ts'
import type { RequestText } from '../load/exchange.ts'
import { type Side, sendRequests, serverSide } from '../load/load.ts'
import { fastest, type Run } from '../rounds.ts'
import { serverPort } from '../stage/services.ts'
import type { LoggedStatement } from '../statements.ts'
import type { FixedAnswer } from './elysia.ts'

const POOL_SIZES = [4, 8, 16]

/** Bare servers of the first page of parts: `rows` makes JSON of columns, `texts` joins the stored texts as ours does. */
export const LIST_SERVERS = {
  'Fastify + pg': { engine: 'fastify', answer: 'rows' },
  'Fastify + pg that joins the same texts': { engine: 'fastify', answer: 'texts' },
  'Go + pgx that joins the same texts': { engine: 'go', answer: 'texts' },
} as const

export type ListServer = keyof typeof LIST_SERVERS

export const hasGo = () => Bun.which('go') !== null

export interface ListReference {
  kind: ListServer
  statement: LoggedStatement
  /** The database, with the role of the service. */
  url: string
  /** The answer of the service. The reference must give the same. */
  wanted: string
}

/** Starts a bare server with each size of pool and keeps the fastest. */
export async function startListServer(
  { database, trial, onStop }: Context,
  { kind, statement, url, wanted }: ListReference,
): Promise<{ side: Side; label: string }> {
  const { engine, answer } = LIST_SERVERS[kind]
  const command = engine === 'go' ? [await buildGoServer(database.folder)] : [BUN, join(import.meta.dir, 'fastify.ts')]
  const servers = await Promise.all(
    POOL_SIZES.map(async (poolSize) => {
      const port = serverPort()
      const readyUrl = `http://127.0.0.1:${port}/v1/parts`
      const { stop } = await startProgram({
        name: kind,
        command,
        env: {
          PATH: process.env.PATH,
          NODE_ENV: 'production',
          PORT: String(port),
          DATABASE_URL: url,
          POOL_SIZE: String(poolSize),
          STATEMENT: statement.text,
          PARAMETERS: JSON.stringify(statement.parameters),
          ANSWER: answer,
        },
        logFile: join(database.folder, `${engine}-${answer}-${poolSize}.log`),
        readyUrl,
      })
      onStop(stop)
      const text = await (await fetch(readyUrl)).text()
      const same = answer === 'texts' ? text === wanted : Bun.deepEquals(JSON.parse(text), JSON.parse(wanted))
      if (!same) throw new Error(`${kind} does not answer what the marketplace answers`)
      return { poolSize, port, stop }
    }),
  )
  const request = { path: '/v1/parts' }
  const variants = servers.map(({ port }): [string, Run] => [
    String(port),
    async (seconds) => (await sendRequests({ port, request, connections: 16, seconds })).perSecond,
  ])
  const port = Number(await fastest(Object.fromEntries(variants), trial))
  await Promise.all(servers.filter((server) => server.port !== port).map(({ stop }) => stop()))
  const side = await serverSide({ port, request }, trial)
  const poolSize = servers.find((server) => server.port === port)?.poolSize
  const name = engine === 'go' ? 'Go' : 'Fastify on Bun'
  return { side, label: `${name}, ${side.clients} connections, pool of ${poolSize}` }
}

async function buildGoServer(folder: string): Promise<string> {
  const program = join(folder, 'go-list-server')
  const env = { ...process.env, CGO_ENABLED: '0' }
  const command = ['go', 'build', '-C', join(import.meta.dir, 'go'), '-o', program, '.']
  const { code, output } = await run(command, { env, timeoutMs: 10 * 60 * 1000 })
  if (code !== 0) throw new Error(`the Go server could not be built: ${tail(output, 5)}`)
  return program
}

/** A request and its answer. */
export interface Read {
  request: RequestText
  answer: FixedAnswer
}

/** Starts the Elysia server of fixed answers, bare or guarded. */
export async function startElysia(
  { database, services, onStop }: Context,
  guard: 'none' | 'token',
  reads: readonly Read[],
): Promise<{ port: number }> {
  const port = serverPort()
  const { stop } = await startProgram({
    name: 'Elysia',
    command: [BUN, join(import.meta.dir, 'elysia.ts')],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PORT: String(port),
      GUARD: guard,
      JWKS_URL: `${services.identity.url}/.well-known/jwks.json`,
      ANSWERS: JSON.stringify(reads.map(({ answer }) => answer)),
    },
    logFile: join(database.folder, `elysia-${guard}.log`),
    readyUrl: `http://127.0.0.1:${port}/readyz`,
  })
  onStop(stop)
  for (const { request, answer } of reads) {
    const { path, ...rest } = request
    const text = await (await fetch(`http://127.0.0.1:${port}${path}`, rest)).text()
    if (text !== answer.text) throw new Error(`the Elysia server answers\n${text}\ninstead of\n${answer.text}`)
  }
  return { port }
}
