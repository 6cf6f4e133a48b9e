import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServiceName } from '../../../proto/services.ts'
import type { ApiClient } from '../../../services/testing/client.ts'
import { serviceUrl } from '../../local/secrets.ts'
import type { Context } from '../context.ts'
import { type Figure, ratioFigure } from '../figures.ts'
import { databaseSide, hasPgbench, serverSide } from '../load/load.ts'
import { inRounds } from '../rounds.ts'
import { pgbenchScript, readsOf } from '../statements.ts'

export interface ListPage {
  items: { id: string }[]
  hasMore: boolean
}

/** Reads a page of a list and tells how long that took. */
export async function readPage(client: ApiClient, path: string): Promise<{ body: ListPage; ms: number }> {
  const startedMs = performance.now()
  const { status, body, text } = await client.get<ListPage>(path)
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`)
  return { body, ms: performance.now() - startedMs }
}

export interface ListLoad {
  service: ServiceName
  /** The tables that the list reads. */
  tables: RegExp
  client: ApiClient
  path: string
  atLeast: number
  /** Fixed numbers of connections and of pgbench's clients, where a trial of each would take too long. */
  connections?: readonly number[]
  clients?: readonly number[]
}

/** One page of a list against the same statements in pgbench. */
export async function pageAgainstDatabase(context: Context, list: ListLoad): Promise<Figure[]> {
  if (!hasPgbench()) return []
  const { database, services, pace, trial } = context
  const { service, tables, client, path, atLeast, connections, clients } = list
  const statements = await readsOf(database, { service, tables }, () => readPage(client, path))
  const { text, variables } = pgbenchScript(statements)
  const script = join(database.folder, 'list.sql')
  await writeFile(script, text)
  const request = { path, headers: { Authorization: `Bearer ${client.accessToken}` } }
  const { port } = services[service]
  const ours = await serverSide({ port, request, ...(connections && { connections }) }, trial)
  const url = serviceUrl(database.ownerUrl, service, database.secrets)
  const reference = await databaseSide({ url, script, variables, ...(clients && { clients }) }, trial)
  const rates = await inRounds({ ours: ours.run, pgbench: reference.run }, pace)
  return [
    ratioFigure({
      what: `GET ${path} ÷ pgbench`,
      ours: rates.ours,
      reference: rates.pgbench,
      against: `pgbench, ${reference.clients} clients${statements.length > 1 ? `, ${statements.length} statements` : ''}`,
      atLeast,
    }),
  ]
}
