import type { ServiceName } from '../../../proto/services.ts'
import { type ApiAnswer, type ApiClient, succeeded } from '../../../services/testing/client.ts'
import { compareRates, msOf, type Pace } from './compare.ts'
import type { Database } from './database.ts'
import { clientSide } from './http.ts'
import { pgbenchSide } from './pgbench.ts'

/** Reads a page of a list. */
export async function readPage(client: ApiClient, path: string) {
  return (await succeeded(client.get<{ items: { id: string }[] }>(path))).items
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

/** A list: its service, and the least that reads the records of a page. */
interface List {
  service: ServiceName
  /** Reads the records with the ids `:ids`. */
  statement: string
}

const documentsOf = (table: string): List => ({
  service: 'sourcing',
  statement: `select document from sourcing.${table} where id = any(:ids) order by id desc;`,
})
const LISTS: Readonly<Record<string, List>> = {
  '/v1/parts': documentsOf('parts'),
  '/v1/rfqs': documentsOf('rfqs'),
  '/v1/offers': documentsOf('offers'),
  '/v1/orders': documentsOf('orders'),
  '/v1/users': {
    service: 'organization',
    statement: `
      select id, email, given_name, family_name, phone, active, created_at,
        array(select role_id from organization.user_roles where user_id = users.id) as roles
      from organization.users where id = any(:ids) order by id desc;`.replaceAll('\n', ' '),
  },
}

interface PageComparison {
  database: Database
  pace: Pace
  client: ApiClient
  path: string
  atLeast: number
  /** The replicas that share the connections, instead of that of the client. */
  ports?: readonly number[]
  /** Fixed numbers of connections and of pgbench's clients, where a trial of each would take too long. */
  connections?: readonly number[]
  clients?: readonly number[]
}

/** One page of a list against the least that reads its records: a look-up of their ids, without search or access. */
export async function* comparePage(page: PageComparison) {
  const { database, pace, client, path, atLeast, connections, clients, ports } = page
  const list = LISTS[path.split('?')[0] ?? '']
  if (!list) throw new Error(`${path} is not a list`)
  const ids = (await readPage(client, path)).map(({ id }) => id)
  const script = { text: list.statement, variables: { ids: `{${ids.join()}}` } }
  yield* compareRates({
    what: `GET ${path}`,
    ours: clientSide(client, { path }, connections, ports),
    references: [{ name: 'its rows by id', side: pgbenchSide(database, list.service, script, clients), atLeast }],
    pace,
  })
}
