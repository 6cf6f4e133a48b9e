import { join } from 'node:path'
import { ApiClient } from '../../../../services/testing/client.ts'
import { BUN } from '../../../toolchain/checkout.ts'
import { run, tail } from '../../../toolchain/run.ts'
import { compareRates, type Run } from '../compare.ts'
import type { Context, Section } from '../context.ts'
import { urlOfService } from '../database.ts'
import { clientSide, httpSide } from '../http.ts'
import { requireAnswer } from '../lists.ts'
import { pgbenchSide } from '../pgbench.ts'
import { signIn, startServer } from '../services.ts'

const PATH = '/v1/parts'
const REFERENCES = join(import.meta.dir, '..', 'references')
const POOL_SIZES = [4, 8, 16]
const CONNECTIONS = [16, 64]

/** The least that reads the page. */
const LEAST = {
  text: `select document from sourcing.parts where state = 'PUBLISHED' and not internal order by id desc limit 11;`,
  variables: {},
}

/** The first page of all parts, against the least statement in pgbench and against bare servers of other kinds. */
export const measureParts: Section = async function* (context) {
  const { database, pace, progress } = context
  const client = await signIn(context, 'sourcing')
  const { text: wanted } = await client.get(PATH)
  const serverSide = (name: string, ...command: string[]) => listServerSide(context, { name, command, wanted })

  const references = [
    { name: 'pgbench', side: pgbenchSide(database, 'sourcing', LEAST), atLeast: 0.4 },
    { name: 'Fastify + pg', side: await serverSide('fastify', BUN, join(REFERENCES, 'fastify.ts')), atLeast: 3 },
  ]
  if (Bun.which('go')) {
    const side = await serverSide('go', await buildGoServer(database.folder))
    references.push({ name: 'Go + pgx that joins the same texts', side, atLeast: 1.3 })
  } else progress('Go is not installed: the table lacks the ratio to a Go server')
  yield* compareRates({ what: `GET ${PATH}`, ours: clientSide(client, { path: PATH }), references, pace })
}

async function buildGoServer(folder: string): Promise<string> {
  const program = join(folder, 'go-list-server')
  const env = { ...process.env, CGO_ENABLED: '0' }
  const { code, output } = await run(['go', 'build', '-C', join(REFERENCES, 'go'), '-o', program, '.'], { env })
  if (code !== 0) throw new Error(`the Go server could not be built: ${tail(output, 5)}`)
  return program
}

interface ListServer {
  name: string
  command: readonly string[]
  /** The answer of the service; the reference must give the same. */
  wanted: string
}

/** A bare server of the first page, with each size of pool. */
async function listServerSide(context: Context, { name, command, wanted }: ListServer) {
  const url = urlOfService(context.database, 'sourcing')
  const side: Record<string, Run> = {}
  for (const size of POOL_SIZES) {
    const server = await startServer(context, {
      ...{ name: `${name}-${size}`, command, readyUrl: PATH },
      env: { DATABASE_URL: url, POOL_SIZE: String(size) },
    })
    requireAnswer(await new ApiClient(server.url).get(PATH), wanted)
    for (const [connections, run] of Object.entries(httpSide(server.port, { path: PATH }, CONNECTIONS))) {
      side[`pool of ${size}, ${connections}`] = run
    }
  }
  return side
}
