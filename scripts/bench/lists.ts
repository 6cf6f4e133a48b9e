import type { ApiClient } from '../../services/testing/client.ts'
import { compareRates, msOf } from './compare.ts'
import type { Context } from './context.ts'
import { clientSide } from './load/http.ts'
import { pgbenchSide } from './load/pgbench.ts'
import { type List, pgbenchScript, readsOf } from './statements.ts'
import type { Row } from './table.ts'

export interface ListPage {
  items: { id: string }[]
  hasMore: boolean
}

/** Reads a page of a list. */
export async function readPage(client: ApiClient, path: string): Promise<ListPage> {
  const { status, body, text } = await client.get<ListPage>(path)
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`)
  return body
}

/** The times of reading some pages, one after the other. */
export async function timesOf(client: ApiClient, paths: Iterable<string>): Promise<number[]> {
  const times: number[] = []
  for (const path of paths) times.push(await msOf(() => readPage(client, path)))
  return times
}

/** The last page with items, by bisection. */
export async function lastPage(client: ApiClient, pathOf: (page: number) => string, pagesAtMost: number) {
  let [held, empty] = [1, pagesAtMost + 1]
  while (empty - held > 1) {
    const middle = Math.floor((held + empty) / 2)
    if ((await readPage(client, pathOf(middle))).items.length > 0) held = middle
    else empty = middle
  }
  return held
}

interface PageComparison {
  list: List
  client: ApiClient
  path: string
  atLeast: number
  /** Fixed numbers of connections and of pgbench's clients, where a trial of each would take too long. */
  connections?: readonly number[]
  clients?: readonly number[]
}

/** One page of a list against the same statements in pgbench. */
export async function* comparePage(
  { database, pace }: Pick<Context, 'database' | 'pace'>,
  { list, client, path, atLeast, connections, clients }: PageComparison,
): AsyncGenerator<Row> {
  const script = pgbenchScript(await readsOf(database, list, () => readPage(client, path)))
  yield* compareRates({
    what: `GET ${path}`,
    ours: clientSide(client, { path }, connections),
    references: [{ name: 'pgbench', side: pgbenchSide(database, list.service, script, clients), atLeast }],
    pace,
  })
}
