import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { serviceUrl } from '../../local/secrets.ts'
import type { Context } from '../context.ts'
import { type Figure, ratioFigure } from '../figures.ts'
import { databaseSide, hasPgbench, type Side, serverSide } from '../load/load.ts'
import { hasGo, LIST_SERVERS, type ListServer, startListServer } from '../references/start.ts'
import { inRounds } from '../rounds.ts'
import { signIn } from '../stage/accounts.ts'
import { PARTS_TABLES, pgbenchScript, readsOf } from '../statements.ts'

const PATH = '/v1/parts'

const WANTED: Record<ListServer, number | undefined> = {
  'Fastify + pg': 3,
  'Fastify + pg that joins the same texts': undefined,
  'Go + pgx that joins the same texts': 1.3,
}

interface Reference extends Side {
  about: string
  against: string
  atLeast: number | undefined
}

/** The first page of all parts, against its statement in pgbench and against bare servers of other kinds. */
export async function measureParts(context: Context): Promise<Figure[]> {
  const { database, services, account, pace, trial, progress } = context
  const url = serviceUrl(database.ownerUrl, 'sourcing', database.secrets)
  const client = await signIn(services.identity.url, account, services.sourcing.url)
  const wanted = async () => (await client.get(PATH)).text
  const [statement, ...others] = await readsOf(database, { service: 'sourcing', tables: PARTS_TABLES }, wanted)
  if (!statement || others.length > 0) throw new Error(`the first page of parts takes ${others.length + 1} statements`)
  const request = { path: PATH, headers: { Authorization: `Bearer ${client.accessToken}` } }
  const ours = await serverSide({ port: services.sourcing.port, request }, trial)
  progress(`Parts: ours with ${ours.clients} connections`)

  const references: Record<string, Reference> = {}
  if (hasPgbench()) {
    const { text, variables } = pgbenchScript([statement])
    const script = join(database.folder, 'parts.sql')
    await writeFile(script, text)
    const side = await databaseSide({ url, script, variables }, trial)
    references.pgbench = { ...side, about: 'pgbench', against: `pgbench, ${side.clients} clients`, atLeast: 0.4 }
  }
  for (const [kind, atLeast] of Object.entries(WANTED) as [ListServer, number | undefined][]) {
    if (LIST_SERVERS[kind].engine === 'go' && !hasGo()) continue
    const { side, label } = await startListServer(context, { kind, statement, url, wanted: await wanted() })
    references[kind] = { ...side, about: kind, against: label, atLeast }
  }
  const runs = Object.fromEntries(Object.entries(references).map(([name, { run }]) => [name, run]))
  const rates: Record<string, readonly number[]> = await inRounds({ ours: ours.run, ...runs }, pace)
  return Object.entries(references).map(([name, { about, against, atLeast }]) =>
    ratioFigure({
      what: `GET ${PATH} ÷ ${about}`,
      ours: rates.ours ?? [],
      reference: rates[name] ?? [],
      against,
      atLeast,
    }),
  )
}
