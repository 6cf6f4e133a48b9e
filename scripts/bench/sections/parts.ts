import { compareRates } from '../compare.ts'
import type { Section } from '../context.ts'
import { clientSide } from '../load/http.ts'
import { pgbenchSide } from '../load/pgbench.ts'
import { buildGoServer, FASTIFY, listServerSide } from '../references/start.ts'
import { signIn } from '../stage/accounts.ts'
import { PARTS, pgbenchScript, readsOf } from '../statements.ts'

const PATH = '/v1/parts'

/** The first page of all parts, against its statement in pgbench and against bare servers of other kinds. */
export const measureParts: Section = async function* (context) {
  const { database, pace } = context
  const client = await signIn(context, 'sourcing')
  const read = async () => (await client.get(PATH)).text
  const [statement, ...others] = await readsOf(database, PARTS, read)
  if (!statement || others.length > 0) throw new Error(`the first page of parts takes ${others.length + 1} statements`)
  const given = { statement, wanted: await read() }
  const fastify = { name: 'Fastify + pg', command: FASTIFY, ...given }
  const references = [
    { name: 'pgbench', side: pgbenchSide(database, 'sourcing', pgbenchScript([statement])), atLeast: 0.4 },
    { name: fastify.name, side: await listServerSide(context, fastify), atLeast: 3 },
  ]
  if (Bun.which('go')) {
    const go = { name: 'Go + pgx that joins the same texts', command: await buildGoServer(database.folder), ...given }
    references.push({ name: go.name, side: await listServerSide(context, go), atLeast: 1.3 })
  }
  yield* compareRates({ what: `GET ${PATH}`, ours: clientSide(client, { path: PATH }), references, pace })
}
