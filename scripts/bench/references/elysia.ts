import { Elysia } from 'elysia'
import { catalogVariables } from '../../../services/catalog/config.ts'
import { VERSION } from '../../../services/kit/config/version.ts'
import { entityTag } from '../../../services/kit/db/json-text.ts'
import { createRateLimit } from '../../../services/kit/limits/rate-limit.ts'
import { createRequestLog } from '../../../services/kit/log/request-log.ts'
import { configure } from '../../../services/kit/service/run.ts'
import { createKit } from '../../../services/kit/service/service.ts'

/** What one path answers, always. */
export interface FixedAnswer {
  operation: string
  method: 'GET' | 'POST'
  path: string
  text: string
  etag: boolean
}

/**
 * Routes that answer fixed bytes. `GUARD=none`: bare Elysia, the fastest it can be. `GUARD=token`: written by hand around
 * the same token check, request limit, log line and headers as ours.
 */
const { GUARD, ANSWERS = '[]', PORT } = process.env
const answers: FixedAnswer[] = JSON.parse(ANSWERS)
const server = new Elysia()
const JSON_TYPE = { 'content-type': 'application/json' }

if (GUARD === 'none') {
  for (const { method, path, text } of answers) {
    if (method === 'GET') server.get(path, () => new Response(text, { headers: JSON_TYPE }))
    // Reads what is asked for, as whoever answers must.
    else server.post(path, ({ body }) => new Response(body ? text : '', { headers: JSON_TYPE }))
  }
} else {
  const config = configure(catalogVariables, process.env)
  const { auth } = await createKit('catalog', config)
  const limit = createRateLimit({ perSecond: config.RATE_LIMIT_PER_SECOND, burst: config.RATE_LIMIT_BURST })
  const log = createRequestLog({ service: 'catalog', version: VERSION, level: config.LOG_LEVEL })
  await auth.start()
  const guarded = async (request: Request, { operation, text, etag }: FixedAnswer): Promise<Response> => {
    const startedMs = performance.now()
    const caller = await auth.callerOf(request)
    const requestId = request.headers.get('x-request-id') ?? crypto.randomUUID()
    const headers: Record<string, string> = {
      'x-request-id': requestId,
      'x-content-type-options': 'nosniff',
      ratelimit: limit.take(caller.orgId),
      'ratelimit-policy': limit.policy,
      'cache-control': 'private, no-cache',
      vary: 'Authorization',
      ...JSON_TYPE,
      ...(etag ? { etag: entityTag(text) } : {}),
    }
    log.write({
      requestId,
      operation,
      method: request.method,
      status: 200,
      ms: Math.round((performance.now() - startedMs) * 100) / 100,
      traceId: undefined,
      tenant: caller.orgId,
      user: caller.userId,
      ip: '127.0.0.1',
    })
    return new Response(text, { headers })
  }
  for (const answer of answers) {
    if (answer.method === 'GET') server.get(answer.path, ({ request }) => guarded(request, answer))
    else server.post(answer.path, ({ request, body }) => body && guarded(request, answer))
  }
}

server.get('/readyz', () => 'ok')
server.listen({ port: Number(PORT), hostname: '127.0.0.1' })
