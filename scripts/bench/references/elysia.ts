import { Elysia } from 'elysia'
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose'

/** The answer of one path. */
export interface FixedAnswer {
  operation: string
  method: 'GET' | 'POST'
  path: string
  text: string
  etag: boolean
}

/**
 * Routes that answer fixed bytes. `GUARD=none`: bare Elysia. `GUARD=token`: a token check with a cache, a request limit, a log
 * line and the headers of the services, written by hand.
 */
const { GUARD, ANSWERS = '[]', PORT, JWKS_URL = '' } = process.env
const answers: FixedAnswer[] = JSON.parse(ANSWERS)
const server = new Elysia()
const JSON_TYPE = { 'content-type': 'application/json' }

if (GUARD === 'none') {
  for (const { method, path, text } of answers) {
    if (method === 'GET') server.get(path, () => new Response(text, { headers: JSON_TYPE }))
    else server.post(path, ({ body }) => new Response(body ? text : '', { headers: JSON_TYPE }))
  }
} else {
  const keys = createRemoteJWKSet(new URL(JWKS_URL))
  const verified = new Map<string, JWTPayload>()
  const verify = async (token: string): Promise<JWTPayload> => {
    const known = verified.get(token)
    if (known && (known.exp ?? 0) * 1000 > Date.now()) return known
    const { payload } = await jwtVerify(token, keys)
    verified.set(token, payload)
    return payload
  }

  const LIMIT = 1_000_000
  const buckets = new Map<string, { left: number; atMs: number }>()
  const take = (tenant: string): number => {
    const now = Date.now()
    const bucket = buckets.get(tenant) ?? { left: LIMIT, atMs: now }
    bucket.left = Math.min(LIMIT, bucket.left + ((now - bucket.atMs) * LIMIT) / 1000) - 1
    bucket.atMs = now
    buckets.set(tenant, bucket)
    return Math.floor(bucket.left)
  }

  let lines: string[] = []
  setInterval(() => {
    if (lines.length > 0) process.stdout.write(lines.join(''))
    lines = []
  }, 100)

  const guarded = async (request: Request, { operation, text, etag }: FixedAnswer): Promise<Response> => {
    const startedMs = performance.now()
    const { org, sub } = await verify(request.headers.get('authorization')?.slice('Bearer '.length) ?? '')
    const requestId = request.headers.get('x-request-id') ?? crypto.randomUUID()
    const headers: Record<string, string> = {
      'x-request-id': requestId,
      'x-content-type-options': 'nosniff',
      ratelimit: `"default";r=${take(String(org))};t=1`,
      'ratelimit-policy': `"default";q=${LIMIT};w=1`,
      'cache-control': 'private, no-cache',
      vary: 'Authorization',
      ...JSON_TYPE,
      ...(etag ? { etag: `"${Bun.hash(text).toString(36)}"` } : {}),
    }
    const ms = Math.round((performance.now() - startedMs) * 100) / 100
    lines.push(
      `{"level":"info","time":"${new Date().toISOString()}","service":"catalog","requestId":"${requestId}","operation":"${operation}","method":"${request.method}","status":200,"ms":${ms},"tenant":"${org}","user":"${sub}","ip":"127.0.0.1"}\n`,
    )
    return new Response(text, { headers })
  }
  for (const answer of answers) {
    if (answer.method === 'GET') server.get(answer.path, ({ request }) => guarded(request, answer))
    else server.post(answer.path, ({ request, body }) => body && guarded(request, answer))
  }
}

server.get('/readyz', () => 'ok')
server.listen({ port: Number(PORT), hostname: '127.0.0.1' })
