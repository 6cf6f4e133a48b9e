import { join } from 'node:path'
import { serviceUrl } from '../../local/secrets.ts'
import { BUN } from '../../toolchain/checkout.ts'
import { run, tail } from '../../toolchain/run.ts'
import type { Side } from '../compare.ts'
import type { Context } from '../context.ts'
import type { RequestText } from '../load/connection.ts'
import { httpSide } from '../load/http.ts'
import { startServer } from '../stage/services.ts'
import type { LoggedStatement } from '../statements.ts'
import type { FixedAnswer } from './elysia.ts'

const POOL_SIZES = [4, 8, 16]
const CONNECTIONS = [16, 64]

export interface ListReference {
  name: string
  command: readonly string[]
  /** The statement of the service, for a server that joins the same texts. */
  statement: LoggedStatement
  /** The answer of the service; the reference must give the same. */
  wanted: string
}

/** A bare server of the first page of parts, with each size of pool. */
export async function listServerSide({ database, onStop }: Context, reference: ListReference): Promise<Side> {
  const { name, command, statement, wanted } = reference
  const side: Record<string, Side[string]> = {}
  for (const poolSize of POOL_SIZES) {
    const { port, url } = await startServer(onStop, {
      name,
      command,
      env: {
        DATABASE_URL: serviceUrl(database.ownerUrl, 'sourcing', database.secrets),
        POOL_SIZE: String(poolSize),
        STATEMENT: statement.text,
        PARAMETERS: JSON.stringify(statement.parameters),
      },
      logFile: join(database.folder, `list-server-${poolSize}.log`),
      readyUrl: '/v1/parts',
    })
    const answer = await (await fetch(`${url}/v1/parts`)).json()
    if (!Bun.deepEquals(answer, JSON.parse(wanted))) throw new Error(`${name} does not give the answer of the service`)
    for (const [connections, measure] of Object.entries(httpSide(port, { path: '/v1/parts' }, CONNECTIONS))) {
      side[`pool of ${poolSize}, ${connections}`] = measure
    }
  }
  return side
}

export const FASTIFY = [BUN, join(import.meta.dir, 'fastify.ts')]

export async function buildGoServer(folder: string): Promise<string[]> {
  const program = join(folder, 'go-list-server')
  const env = { ...process.env, CGO_ENABLED: '0' }
  const { code, output } = await run(['go', 'build', '-C', join(import.meta.dir, 'go'), '-o', program, '.'], { env })
  if (code !== 0) throw new Error(`the Go server could not be built: ${tail(output, 5)}`)
  return [program]
}

/** A request and its answer. */
export interface Read {
  request: RequestText
  answer: FixedAnswer
}

/** Starts the Elysia server of fixed answers, bare or guarded; returns its port. */
export async function startElysia(
  { database, services, onStop }: Context,
  guard: 'none' | 'token',
  reads: readonly Read[],
): Promise<number> {
  const { port, url } = await startServer(onStop, {
    name: 'Elysia',
    command: [BUN, join(import.meta.dir, 'elysia.ts')],
    env: {
      GUARD: guard,
      JWKS_URL: `${services.identity.url}/.well-known/jwks.json`,
      ANSWERS: JSON.stringify(reads.map(({ answer }) => answer)),
    },
    logFile: join(database.folder, `elysia-${guard}.log`),
    readyUrl: '/readyz',
  })
  for (const { request, answer } of reads) {
    const { path, ...rest } = request
    const text = await (await fetch(`${url}${path}`, rest)).text()
    if (text !== answer.text) throw new Error(`the Elysia server answers\n${text}\ninstead of\n${answer.text}`)
  }
  return port
}
