import type { Operation } from '../../proto/http/operation.ts'
import { OPERATIONS } from '../../proto/http/operations.ts'
import type { ApiClient } from './client.ts'
import { DOCUMENTED } from './operations/document.ts'

const READS = Object.values(OPERATIONS)
  .flat()
  .filter(({ method, access }) => method === 'GET' && access !== 'public')

const prefixOf = (id: string) => id.slice(0, id.indexOf('_'))
/** For each path, the kinds of id in it. */
const PREFIXES = new Map(
  DOCUMENTED.map(({ path, params }) => [path, params.map(({ example }) => prefixOf(String(example)))]),
)

/** The ids that the path can have, or the first one if it has none of their kinds: another kind finds nothing. */
function idsFor(path: string, ids: readonly string[]): readonly string[] {
  const possible = ids.filter((id) => PREFIXES.get(path)?.includes(prefixOf(id)))
  return possible.length > 0 ? possible : ids.slice(0, 1)
}

/** Every request of an operation with the ids in its path, each view, the first id as a filter, and other queries. */
function requestsOf({ path, params, query }: Operation, ids: readonly string[], others: readonly string[]): string[] {
  const paths = params ? idsFor(path, ids).map((id) => path.replaceAll(/\{\w+\}/g, id)) : [path]
  const { view, quantity, q, pageSize, rfqId } = (query?.properties ?? {}) as Record<
    string,
    { enum?: string[] } | undefined
  >
  const queries = [
    '',
    ...(view?.enum ?? []).map((name) => `?pageSize=50&view=${name}`),
    ...(pageSize ? ['?pageSize=50'] : []),
    ...(rfqId ? [`?rfqId=${ids[0]}`] : []),
    ...(quantity ? ['?quantity=1', '?quantity=50'] : []),
    ...(q ? others : []),
  ]
  return paths.flatMap((each) => queries.map((text) => each + text))
}

interface ReadAnswer {
  operation: string
  path: string
  status: number
  /** The body and the headers. */
  text: string
}

/** The answer of every read with the ids. `searches` are sent to the lists that have `q`. */
export async function everyRead(
  client: ApiClient,
  ids: readonly string[],
  searches: readonly string[] = [],
): Promise<ReadAnswer[]> {
  const answers: ReadAnswer[] = []
  const queries = searches.map((text) => `?q=${encodeURIComponent(text)}`)
  for (const operation of READS) {
    for (const path of requestsOf(operation, ids, queries)) {
      const { status, text, headers } = await client.get(path)
      answers.push({ operation: operation.id, path, status, text: text + JSON.stringify([...headers]) })
    }
  }
  return answers
}
