import { describe, expect, test } from 'bun:test'
import type { ProblemDocument } from '../testing/client.ts'
import { testMarketplace } from '../testing/marketplace.ts'

const market = await testMarketplace()
const org = await market.organization(['IP_OWNER'])
const { client } = org.administrator
const { anonymous } = market
const powerless = await org.member([])
const UNKNOWN = '/v1/parts/part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

describe('an error of /v1', () => {
  test('is a problem document with code and request id', async () => {
    const path = `${UNKNOWN}/history`
    const answer = await client.get<ProblemDocument>(`${path}?pageSize=7`, { headers: { 'x-request-id': 'my-id.1' } })
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.headers.get('x-request-id')).toBe('my-id.1')
    expect(answer.body).toEqual({
      type: `${market.config.PUBLIC_URL}/docs/errors#not_found`,
      title: 'Not found',
      status: 404,
      detail: 'There is no such record, or it is outside your scope.',
      instance: path,
      code: 'not_found',
      requestId: 'my-id.1',
    })
  })

  test('an invalid request id is replaced', async () => {
    for (const bad of ['a b', 'x'.repeat(65), 'ü']) {
      const answer = await client.get('/v1/parts', { headers: { 'x-request-id': encodeURI(bad) } })
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    }
  })

  test('a malformed id in a path is 404 like an unknown one', async () => {
    const unknown = await client.get<ProblemDocument>(UNKNOWN, { headers: { 'x-request-id': 'r' } })
    for (const id of ['%ff', '%00', 'a%2Fb', '%2e%2e', 'x'.repeat(65), "'%20or%201=1", '%F0%9F%92%A9']) {
      const answer = await client.get<ProblemDocument>(`/v1/parts/${id}`, { headers: { 'x-request-id': 'r' } })
      expect([answer.status, answer.body.code]).toEqual([404, unknown.body.code])
    }
  })

  test('a token without its scheme gets an explanation of how to send it', async () => {
    for (const authorization of [`${client.accessToken}`, `Token ${client.accessToken}`, 'Basic YTpi', 'Bearer']) {
      const { status, body, headers } = await anonymous.get<ProblemDocument>('/v1/parts', {
        headers: { authorization },
      })
      expect([status, body.detail]).toEqual([
        401,
        'Send an access token with its scheme: `Authorization: Bearer <token>`.',
      ])
      expect(headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  test('401 has WWW-Authenticate: Bearer', async () => {
    const answer = await anonymous.get('/v1/parts')
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })
})

describe('headers', () => {
  test('a response to a token is private, varies by Authorization and has rate-limit headers', async () => {
    const { headers } = await client.get('/v1/parts')
    expect(headers.get('cache-control')).toBe('private, no-cache')
    expect(headers.get('vary')).toBe('Authorization')
    expect(headers.get('ratelimit-policy')).toMatch(/^"default";q=\d+;w=\d+$/)
    expect(headers.get('ratelimit')).toMatch(/^"default";r=\d+;t=\d+$/)
  })

  test('a refusal of a request with a token is private and varies by Authorization, too', async () => {
    const authorization = 'Bearer no.such.token'
    const refusals = [
      [401, await anonymous.get('/v1/parts', { headers: { authorization } })],
      [401, await anonymous.get('/v2.3/webhooks/endpoints', { headers: { authorization } })],
      [403, await powerless.client.post('/v1/parts', { title: 'Impeller' })],
      [404, await client.get(UNKNOWN)],
      [404, await client.get('/v1/nope')],
      [405, await client.send('DELETE', '/v1/parts')],
    ] as const
    for (const [status, answer] of refusals) {
      expect([answer.status, answer.headers.get('cache-control'), answer.headers.get('vary')]).toEqual([
        status,
        'private, no-cache',
        'Authorization',
      ])
    }
    expect((await anonymous.get('/v1/nope')).headers.get('cache-control')).toBeNull()
  })
})

test('every response has a request id and rate-limit headers', async () => {
  const answers = await Promise.all([
    client.get('/v1/parts'),
    client.get(UNKNOWN),
    anonymous.get('/v1/parts'),
    anonymous.get('/nope'),
    anonymous.send('OPTIONS', '/v1/parts'),
    anonymous.send('DELETE', '/v1/parts'),
    anonymous.get('/docs'),
    anonymous.post('/v2.3/oauth/token', {}),
  ])
  for (const { headers } of answers) {
    expect(headers.get('x-request-id')).toBeTruthy()
    expect(headers.get('ratelimit')).toMatch(/^"default";r=\d+;t=\d+$/)
    expect(headers.get('ratelimit-policy')).toMatch(/^"default";q=\d+;w=\d+$/)
  }
})

describe('the request limit', () => {
  test('is applied per organization: 429 with Retry-After; a missing token is still 401', async () => {
    const small = await testMarketplace({ RATE_LIMIT_PER_SECOND: '5', RATE_LIMIT_BURST: '20' })
    const [one, other] = [await small.organization(['IP_OWNER']), await small.organization(['IP_OWNER'])]
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => one.administrator.client.get<ProblemDocument>('/v1/parts')),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(10)
    expect(refused[0]?.body.code).toBe('rate_limited')
    expect(refused[0]?.headers.get('retry-after')).toBe('1')
    expect((await other.administrator.client.get('/v1/parts')).status).toBe(200)
    expect((await small.anonymous.get('/v1/parts')).status).toBe(401)
  })
})
