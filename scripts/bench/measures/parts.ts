import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NEWEST_ID } from '../../../services/kit/pagination/keysets.ts'
import { listParts } from '../../../services/sourcing/parts/queries.ts'
import { serviceUrl } from '../../local/secrets.ts'
import type { Bench } from '../bench.ts'
import { type Figure, ratioFigure } from '../figures.ts'
import { hasPgbench } from '../load/pgbench.ts'
import { databaseSide, type Side, serverSide } from '../load/sides.ts'
import { hasGo, LIST_SERVERS, type ListServer, startListServer } from '../references/start.ts'
import { inRounds } from '../rounds.ts'
import { signIn } from '../stage/people.ts'
import { forPgbench, requireSameStatement, statementOf } from '../stage/statements.ts'

const PATH = '/v1/parts'
const FIRST_PAGE = { view: 'CONSUMER', after: undefined, limit: 11, offset: 0 } as const

const WANTED: Record<ListServer, number | undefined> = {
  'Fastify + pg': 3,
  'Fastify + pg that joins the same texts': undefined,
  'Go + pgx that joins the same texts': 1.3,
}

/** The first page of all parts, against the limit of the database and against a bare server of another kind. */
export async function measureParts(bench: Bench): Promise<Figure[]> {
  const { database, services, account, pace, trial, progress } = bench
  const url = serviceUrl(database.ownerUrl, 'sourcing', database.secrets)
  const { accessToken } = await signIn(services.identity.url, account)
  const statement = await statementOf(url, (sql) => listParts(sql, '', FIRST_PAGE))
  const request = { path: PATH, headers: { Authorization: `Bearer ${accessToken}` } }
  const ours = await serverSide({ port: services.sourcing.port, request }, trial)
  progress(`Parts: ours with ${ours.clients} connections`)

  const sides: Record<string, Side & { about: string; against: string; atLeast?: number }> = {}
  if (hasPgbench()) {
    const script = join(database.folder, 'parts.sql')
    const variables = { after: NEWEST_ID, limit: FIRST_PAGE.limit, offset: FIRST_PAGE.offset }
    await writeFile(script, forPgbench(statement, variables))
    const transaction = { url, script, variables }
    const side = await databaseSide(transaction, trial)
    await requireSameStatement(database.ownerUrl, statement, {
      pgbench: () => side.run(2),
      sourcing: () => ours.run(2),
    })
    sides.pgbench = { ...side, about: 'pgbench', against: `pgbench, ${side.clients} clients`, atLeast: 0.4 }
  }
  const wanted = await (await fetch(`${services.sourcing.url}${PATH}`, { headers: request.headers })).text()
  for (const [kind, atLeast] of Object.entries(WANTED) as [ListServer, number | undefined][]) {
    if (LIST_SERVERS[kind].engine === 'go' && !hasGo()) continue
    const { side, label } = await startListServer(bench, { kind, statement, url, wanted })
    sides[kind] = { ...side, about: kind, against: label, ...(atLeast === undefined ? {} : { atLeast }) }
  }
  const runs = Object.fromEntries(Object.entries(sides).map(([name, { run }]) => [name, run]))
  const rates: Record<string, readonly number[]> = await inRounds({ ours: ours.run, ...runs }, pace)
  return Object.entries(sides).map(([name, { about, against, atLeast }]) =>
    ratioFigure({
      what: `GET ${PATH} ÷ ${about}`,
      ours: rates.ours ?? [],
      reference: rates[name] ?? [],
      against,
      ...(atLeast === undefined ? {} : { atLeast }),
    }),
  )
}
