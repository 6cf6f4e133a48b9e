import { Elysia } from 'elysia'
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose'

/** The answer of one request. */
export interface FixedAnswer {
  method: 'GET' | 'POST'
  path: string
  text: string
  etag: boolean
}

/**
 * Routes that answer fixed bytes. `GUARD=none`: bare Elysia. `GUARD=token`: a token check with a cache, a request
 * limit, a log line and the headers of the services, written by hand.
 */
const { GUARD, ANSWERS = '[]', PORT, JWKS_URL = '' } = process.env
const answers: FixedAnswer[] = JSON.parse(ANSWERS)
const JSON_TYPE = { 'content-type': 'application/json' }
const LIMIT = 1_000_000

const keys = GUARD === 'token' ? createRemoteJWKSet(new URL(JWKS_URL)) : undefined
const verified = new Map<string, JWTPayload>()
const buckets = new Map<string, { left: number; atMs: number }>()
let lines: string[] = []
setInterval(() => {
  if (lines.length > 0) process.stdout.write(lines.join(''))
  lines = []
}, 100)

async function verify(token: string): Promise<JWTPayload> {
  const known = verified.get(token)
  if (known && (known.exp ?? 0) * 1000 > Date.now()) return known
  if (!keys) throw new Error('no keys')
  const { payload } = await jwtVerify(token, keys)
  verified.set(token, payload)
  return payload
}

function take(tenant: string): number {
  const now = Date.now()
  const bucket = buckets.get(tenant) ?? { left: LIMIT, atMs: now }
  bucket.left = Math.min(LIMIT, bucket.left + ((now - bucket.atMs) * LIMIT) / 1000) - 1
  bucket.atMs = now
  buckets.set(tenant, bucket)
  return Math.floor(bucket.left)
}

async function guarded(request: Request, { path, text, etag }: FixedAnswer): Promise<Response> {
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
    `{"level":"info","time":"${new Date().toISOString()}","service":"catalog","requestId":"${requestId}","operation":"${path}","method":"${request.method}","status":200,"ms":${ms},"tenant":"${org}","user":"${sub}","ip":"127.0.0.1"}\n`,
  )
  return new Response(text, { headers })
}

const server = new Elysia().get('/readyz', () => 'ok')
for (const answer of answers) {
  const { method, path, text } = answer
  const bare = { headers: JSON_TYPE }
  if (keys && method === 'GET') server.get(path, ({ request }) => guarded(request, answer))
  else if (keys) server.post(path, ({ request, body }) => body && guarded(request, answer))
  else if (method === 'GET') server.get(path, () => new Response(text, bare))
  else server.post(path, ({ body }) => new Response(body ? text : '', bare))
}
server.listen({ port: Number(PORT), hostname: '127.0.0.1' })
