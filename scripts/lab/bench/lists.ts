import type { ServiceName } from '../../../proto/services.ts'
import type { ApiAnswer, ApiClient } from '../../../services/testing/client.ts'
import { compareRates, msOf, type Pace } from './compare.ts'
import type { Database } from './database.ts'
import { clientSide } from './http.ts'
import { pgbenchScript, pgbenchSide } from './pgbench.ts'
import { capture } from './statements.ts'

/** Reads a page of a list. */
export async function readPage(client: ApiClient, path: string) {
  const { status, body, text } = await client.get<{ items: { id: string }[] }>(path)
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`)
  return body.items
}

/** A reference must give the answer of the service. */
export function requireAnswer({ status, body, text }: ApiAnswer<unknown>, wanted = ''): void {
  if (status === 200 && Bun.deepEquals(body, JSON.parse(wanted))) return
  throw new Error(`a reference answers ${status} ${text} instead of ${wanted}`)
}

/** The time of reading a page in milliseconds. */
export const timeOf = (client: ApiClient, path: string): Promise<number> => msOf(() => readPage(client, path))

/** The times of reading some pages, one after the other. */
export const timesOf = (client: ApiClient, paths: readonly string[]): Promise<number[]> =>
  Array.fromAsync(paths, (path) => timeOf(client, path))

/** The last page with items, by bisection. */
export async function lastPage(client: ApiClient, pathOf: (page: number) => string, pagesAtMost: number) {
  let [held, empty] = [1, pagesAtMost + 1]
  while (empty - held > 1) {
    const middle = Math.floor((held + empty) / 2)
    if ((await readPage(client, pathOf(middle))).length > 0) held = middle
    else empty = middle
  }
  return held
}

/** A list: its service, and the reading statements of its pages. */
interface List {
  service: ServiceName
  statement: RegExp
}
const reads = (tables: string) =>
  new RegExp(String.raw`^(?!.*\b(insert into|update|delete from)\b).*(${tables}|\bpage_cursors)\b`, 'is')
export const PARTS: List = { service: 'sourcing', statement: reads(String.raw`\bsourcing\.parts`) }
export const TRADE: List = {
  service: 'sourcing',
  statement: reads(String.raw`\bsourcing\.(rfqs|rfq_invitations|offers|orders)`),
}
export const USERS: List = {
  service: 'organization',
  statement: reads(String.raw`\borganization\.(users|user_roles|roles)`),
}

/** The statements of one page. It is read once before, so that the session and its permissions are known. */
export async function statementsOf(database: Database, list: List, client: ApiClient, path: string) {
  await readPage(client, path)
  return capture(database, list.service, list.statement, () => readPage(client, path))
}

interface PageComparison {
  database: Database
  pace: Pace
  list: List
  client: ApiClient
  path: string
  atLeast: number
  /** The replicas that share the connections, instead of that of the client. */
  ports?: readonly number[]
  /** Fixed numbers of connections and of pgbench's clients, where a trial of each would take too long. */
  connections?: readonly number[]
  clients?: readonly number[]
}

/** One page of a list against the same statements in pgbench. */
export async function* comparePage(page: PageComparison) {
  const { database, pace, list, client, path, atLeast, connections, clients, ports } = page
  const script = pgbenchScript(await statementsOf(database, list, client, path))
  yield* compareRates({
    what: `GET ${path}`,
    ours: clientSide(client, { path }, connections, ports),
    references: [{ name: 'pgbench', side: pgbenchSide(database, list.service, script, clients), atLeast }],
    pace,
  })
}
