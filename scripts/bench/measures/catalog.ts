import type { Bench } from '../bench.ts'
import { type Figure, ratioFigure } from '../figures.ts'
import type { RequestText } from '../load/exchange.ts'
import { serverSide } from '../load/sides.ts'
import type { FixedAnswer } from '../references/elysia.ts'
import { type Read, startElysia } from '../references/start.ts'
import { inRounds } from '../rounds.ts'
import { signIn } from '../stage/people.ts'

const LIST = '/v1/categories'

/** A catalog's three reads, against fixed bytes from bare Elysia, and against the same behind what guards ours. */
export async function measureCatalog(bench: Bench): Promise<Figure[]> {
  const { services, account, pace, trial, progress } = bench
  const { accessToken } = await signIn(services.identity.url, account)
  const reads = await readsOf(services.catalog.url, { Authorization: `Bearer ${accessToken}` })
  const [bareServer, guardedServer] = [
    await startElysia(bench, 'none', reads),
    await startElysia(bench, 'token', reads),
  ]
  const figures: Figure[] = []
  for (const { answer, request } of reads) {
    const ours = await serverSide({ port: services.catalog.port, request }, trial)
    const bare = await serverSide({ port: bareServer.port, request }, trial)
    const guarded = await serverSide({ port: guardedServer.port, request }, trial)
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

/** One entry, a page, and a batch of ten, as our own service answers them. */
async function readsOf(url: string, headers: Record<string, string>): Promise<Read[]> {
  const page = (await (await fetch(`${url}${LIST}`, { headers })).json()) as { items: { id: string }[] }
  const ids = page.items.map(({ id }) => id)
  const posted = { ...headers, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ ids })
  const requests: (RequestText & { operation: string })[] = [
    { operation: 'getCategory', path: `${LIST}/${ids[0]}`, headers },
    { operation: 'listCategories', path: LIST, headers },
    { operation: 'batchGetCategories', method: 'POST', path: `${LIST}:batch-get`, headers: posted, body },
  ]
  return Promise.all(
    requests.map(async ({ operation, ...request }) => {
      const { path, ...rest } = request
      const answer = await fetch(`${url}${path}`, rest)
      if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
      const method = request.method === 'POST' ? 'POST' : 'GET'
      const fixed: FixedAnswer = {
        operation,
        method,
        path,
        text: await answer.text(),
        etag: answer.headers.has('etag'),
      }
      return { request, answer: fixed }
    }),
  )
}
