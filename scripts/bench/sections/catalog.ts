import type { Context } from '../context.ts'
import { type Figure, ratioFigure } from '../figures.ts'
import type { RequestText } from '../load/exchange.ts'
import { serverSide } from '../load/load.ts'
import type { FixedAnswer } from '../references/elysia.ts'
import { type Read, startElysia } from '../references/start.ts'
import { inRounds } from '../rounds.ts'
import { signIn } from '../stage/accounts.ts'

const LIST = '/v1/categories'

/** Three reads of a catalog, against Elysia that answers the same bytes, bare and with a token check, log and headers. */
export async function measureCatalog(context: Context): Promise<Figure[]> {
  const { services, account, pace, trial, progress } = context
  const { accessToken } = await signIn(services.identity.url, account)
  const reads = await readsOf(services.catalog.url, { Authorization: `Bearer ${accessToken}` })
  const servers = {
    ours: services.catalog,
    bare: await startElysia(context, 'none', reads),
    guarded: await startElysia(context, 'token', reads),
  }
  const figures: Figure[] = []
  for (const { answer, request } of reads) {
    const side = (port: number) => serverSide({ port, request }, trial)
    const ours = await side(servers.ours.port)
    const bare = await side(servers.bare.port)
    const guarded = await side(servers.guarded.port)
    progress(`Catalog: ${answer.operation}, connections ${ours.clients}, ${bare.clients}, ${guarded.clients}`)
    const rates = await inRounds({ ours: ours.run, bare: bare.run, guarded: guarded.run }, pace)
    const what = `${answer.method} ${answer.path}`
    figures.push(
      ratioFigure({
        what: `${what} ÷ bare Elysia`,
        ours: rates.ours,
        reference: rates.bare,
        against: `fixed bytes, ${bare.clients} connections`,
        atLeast: 0.5,
      }),
      ratioFigure({
        what: `${what} ÷ Elysia with token check, log line and headers`,
        ours: rates.ours,
        reference: rates.guarded,
        against: `fixed bytes, ${guarded.clients} connections`,
        atLeast: 0.8,
      }),
    )
  }
  return figures
}

/** One entry, a page, and a batch of ten, with the answers of the service. */
async function readsOf(url: string, headers: Record<string, string>): Promise<Read[]> {
  const page = (await (await fetch(`${url}${LIST}`, { headers })).json()) as { items: { id: string }[] }
  const ids = page.items.map(({ id }) => id)
  const posted = { ...headers, 'Content-Type': 'application/json' }
  const requests: (RequestText & { operation: string; method: 'GET' | 'POST' })[] = [
    { operation: 'getCategory', method: 'GET', path: `${LIST}/${ids[0]}`, headers },
    { operation: 'listCategories', method: 'GET', path: LIST, headers },
    {
      operation: 'batchGetCategories',
      method: 'POST',
      path: `${LIST}:batch-get`,
      headers: posted,
      body: JSON.stringify({ ids }),
    },
  ]
  return Promise.all(
    requests.map(async ({ operation, ...request }) => {
      const { path, method, ...rest } = request
      const answer = await fetch(`${url}${path}`, { method, ...rest })
      if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
      const etag = answer.headers.has('etag')
      const fixed: FixedAnswer = { operation, method, path, text: await answer.text(), etag }
      return { request, answer: fixed }
    }),
  )
}
