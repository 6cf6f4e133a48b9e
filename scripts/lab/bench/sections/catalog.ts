import { join } from 'node:path'
import { ApiClient } from '../../../../services/testing/client.ts'
import { BUN } from '../../../toolchain/checkout.ts'
import { compareRates } from '../compare.ts'
import type { Section } from '../context.ts'
import { clientSide, httpSide } from '../http.ts'
import { readPage, requireAnswer } from '../lists.ts'
import type { FixedAnswer } from '../references/elysia.ts'
import { signIn, startServer } from '../services.ts'

const LIST = '/v1/categories'

const REFERENCES = [
  { name: 'bare Elysia', guard: 'none', atLeast: 0.5 },
  { name: 'Elysia with token check, log line and headers', guard: 'token', atLeast: 0.8 },
]

/** An entry, a page and a batch of ten, against Elysia that answers the same bytes, bare and guarded. */
export const measureCatalog: Section = async function* (context) {
  const client = await signIn(context, 'catalog')
  const ids = (await readPage(client, LIST)).map(({ id }) => id)
  const requests: CatalogRequest[] = [
    { method: 'GET', path: `${LIST}/${ids[0]}` },
    { method: 'GET', path: LIST },
    { method: 'POST', path: `${LIST}:batch-get`, body: { ids } },
  ]
  const answers = await Array.fromAsync(requests, async ({ method, path, body }): Promise<FixedAnswer> => {
    const { text, headers } = await client.send(method, path, { body })
    return { method, path, text, etag: headers.has('etag') }
  })
  const servers = await Array.fromAsync(REFERENCES, async ({ guard, ...reference }) => {
    const { port, url } = await startServer(context, {
      name: `elysia-${guard}`,
      command: [BUN, join(import.meta.dir, '..', 'references', 'elysia.ts')],
      readyUrl: '/readyz',
      env: {
        GUARD: guard,
        JWKS_URL: `${context.services.identity.url}/.well-known/jwks.json`,
        ANSWERS: JSON.stringify(answers),
      },
    })
    const referenceClient = new ApiClient(url, client.accessToken)
    for (const [at, { method, path, body }] of requests.entries()) {
      requireAnswer(await referenceClient.send(method, path, { body }), answers[at]?.text)
    }
    return { ...reference, port }
  })
  for (const { method, path, body } of requests) {
    const request = { method, path, token: client.accessToken, ...(body && { body: JSON.stringify(body) }) }
    yield* compareRates({
      what: `${method} ${path}`,
      ours: clientSide(client, request),
      references: servers.map(({ port, ...reference }) => ({ ...reference, side: httpSide(port, request) })),
      pace: context.pace,
    })
  }
}

interface CatalogRequest extends Pick<FixedAnswer, 'method' | 'path'> {
  body?: { ids: string[] }
}
