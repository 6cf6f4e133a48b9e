import { join } from 'node:path'
import { BUN } from '../../toolchain/checkout.ts'
import { freePort } from '../../toolchain/ports.ts'
import type { Bench } from '../bench.ts'
import { sendRequests } from '../load/load.ts'
import { type Side, serverSide } from '../load/sides.ts'
import type { Read } from '../measures/catalog.ts'
import { fastest, type Run } from '../rounds.ts'
import { startProgram } from '../stage/programs.ts'
import { environmentOf } from '../stage/services.ts'

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
  const servers = await Promise.all(
    POOL_SIZES.map(async (poolSize) => {
      const port = freePort()
      const readyUrl = `http://127.0.0.1:${port}/v1/parts`
      const { stop } = await startProgram({
        command: [BUN, join(import.meta.dir, 'fastify.ts')],
        env: {
          PATH: process.env.PATH,
          NODE_ENV: 'production',
          PORT: String(port),
          DATABASE_URL: url,
          POOL_SIZE: String(poolSize),
          STATEMENT: statement,
          ANSWER: answer,
        },
        logFile: join(database.folder, `fastify-${answer}-${poolSize}.log`),
        readyUrl,
      })
      onStop(stop)
      return { poolSize, port, readyUrl, stop }
    }),
  )
  for (const { readyUrl } of servers) requireSameBody(answer, await (await fetch(readyUrl)).text(), wanted)
  const request = { path: '/v1/parts' }
  const way =
    (port: number): Run =>
    (seconds) =>
      sendRequests({ port, request, connections: 16, seconds })
  const ways = Object.fromEntries(servers.map(({ port }) => [port, way(port)]))
  const port = Number(await fastest(ways, trial))
  await Promise.all(servers.filter((server) => server.port !== port).map(({ stop }) => stop()))
  const side = await serverSide({ port, request }, trial)
  const poolSize = servers.find((server) => server.port === port)?.poolSize
  const label = `Fastify, ${side.clients} connections, pool of ${poolSize}`
  progress(`Parts: ${label}`)
  return { side, label }
}

/** The same bytes where texts are joined; the same JSON where it is made anew, for Postgres has blanks of its own in jsonb. */
function requireSameBody(answer: FastifyReference['answer'], body: string, wanted: string): void {
  const same = answer === 'texts' ? body === wanted : Bun.deepEquals(JSON.parse(body), JSON.parse(wanted))
  if (!same) throw new Error(`The reference answers\n${body}\ninstead of\n${wanted}`)
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
    const { method = 'GET', path, headers, body } = request
    const said = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(headers ? { headers } : {}),
      ...(body ? { body } : {}),
    })
    const text = await said.text()
    if (text !== answer.text)
      throw new Error(`The reference answers ${said.status} ${text}\ninstead of\n${answer.text}`)
  }
  return { port }
}
