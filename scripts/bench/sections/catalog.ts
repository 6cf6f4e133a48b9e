import { compareRates } from '../compare.ts'
import type { Section } from '../context.ts'
import type { ListPage } from '../lists.ts'
import { httpSide } from '../load/http.ts'
import { type Read, startElysia } from '../references/start.ts'
import { signIn } from '../stage/accounts.ts'

const LIST = '/v1/categories'

/** Three reads of a catalog, against Elysia that answers the same bytes, bare and with a token check, log and headers. */
export const measureCatalog: Section = async function* (context) {
  const { port, url } = context.services.catalog
  const { accessToken } = await signIn(context, 'catalog')
  const reads = await readsOf(url, { Authorization: `Bearer ${accessToken}` })
  const bare = await startElysia(context, 'none', reads)
  const guarded = await startElysia(context, 'token', reads)
  for (const { answer, request } of reads) {
    yield* compareRates({
      what: `${answer.method} ${answer.path}`,
      ours: httpSide(port, request),
      references: [
        { name: 'bare Elysia', side: httpSide(bare, request), atLeast: 0.5 },
        { name: 'Elysia with token check, log line and headers', side: httpSide(guarded, request), atLeast: 0.8 },
      ],
      pace: context.pace,
    })
  }
}

/** One entry, a page, and a batch of ten, with the answers of the service. */
async function readsOf(url: string, headers: Record<string, string>): Promise<Read[]> {
  const page = (await (await fetch(`${url}${LIST}`, { headers })).json()) as ListPage
  const ids = page.items.map(({ id }) => id)
  const posted = { headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify({ ids }) }
  return Promise.all([
    readOf(url, { operation: 'getCategory', method: 'GET', path: `${LIST}/${ids[0]}`, headers }),
    readOf(url, { operation: 'listCategories', method: 'GET', path: LIST, headers }),
    readOf(url, { operation: 'batchGetCategories', method: 'POST', path: `${LIST}:batch-get`, ...posted }),
  ])
}

interface CatalogRequest {
  operation: string
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
}

async function readOf(url: string, { operation, ...request }: CatalogRequest): Promise<Read> {
  const { path, ...rest } = request
  const answer = await fetch(`${url}${path}`, rest)
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
  const fixed = { text: await answer.text(), etag: answer.headers.has('etag') }
  return { request, answer: { operation, method: request.method, path, ...fixed } }
}
