import { describe, expect, test } from 'bun:test'
import type { ProblemDocument } from '../testing/client.ts'
import { testMarketplace } from '../testing/marketplace.ts'
import { DOCUMENTED } from '../testing/operations/document.ts'
import { exampleInput, targetOf } from '../testing/operations/inputs.ts'

const market = await testMarketplace()
const org = await market.organization(['IP_OWNER'])
const { client } = org.administrator
const { anonymous } = market
const powerless = await org.member([])
const UNKNOWN = '/v1/parts/part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

describe('the order of checks', () => {
  const JSON_TYPE = { 'content-type': 'application/json' }

  test.each([
    ['an unknown path is 404 first', 404, () => anonymous.post('/v1/nope', '{')],
    ['then the method is 405', 405, () => anonymous.send('DELETE', '/v1/parts')],
    ['then the token is 401', 401, () => anonymous.post('/v1/parts', '{', { 'content-type': 'text/plain' })],
    [
      'then the length is 413',
      413,
      () => powerless.client.post('/v1/parts', 'x'.repeat(1024 * 1024 + 1), { 'content-type': 'text/plain' }),
    ],
    [
      'then the media type is 415',
      415,
      () => powerless.client.post('/v1/parts', '{', { 'content-type': 'text/plain' }),
    ],
    ['then the shape is 400', 400, () => powerless.client.post('/v1/parts', '{', JSON_TYPE)],
    ['then the permission is 403', 403, () => powerless.client.post('/v1/parts', { materialId: 'nope' })],
    ['then the record is 404', 404, () => client.post(`/flows${UNKNOWN}/publish`)],
    ['then ids in the body are 400', 400, () => client.post('/v1/parts', { materialId: 'nope' })],
  ] as const)('%s', async (_, status, send) => {
    expect((await send()).status).toBe(status)
  })

  test('then an older If-Match is 412, and then the state is 409', async () => {
    const { body: part } = await client.post<{ id: string }>('/v1/parts', { title: 'Impeller', materialId: '316l' })
    const path = `/flows/v1/parts/${part.id}`
    await client.post(`${path}/publish`)
    const { headers } = await client.get(`/v1/parts/${part.id}`)
    const [older, newest] = ['"older"', headers.get('etag') ?? '']
    // A published part keeps its title.
    for (const [body, ifMatch, status] of [
      [{ title: null, materialId: 'nope' }, older, 400],
      [{ title: null }, older, 412],
      [{ title: null }, newest, 409],
      [{ title: 'Rotor' }, newest, 200],
    ] as const) {
      const answer = await client.send('PATCH', path, { body, headers: { 'if-match': ifMatch } })
      expect([body, answer.status]).toEqual([body, status])
    }
  })
})

describe('an operation without a request body', () => {
  const bodiless = DOCUMENTED.filter(
    ({ method, body, contract }) => method !== 'GET' && !body && !contract.acceptsBytes,
  )
  const publish = bodiless.find(({ id }) => id === 'publishPart')

  test.each([
    ['a field', JSON.stringify({ title: 'Impeller' }), 'application/json', 400],
    ['another media type', '<part/>', 'text/xml', 415],
    ['too many bytes', 'x'.repeat(1024 * 1024 + 1), 'application/json', 413],
  ])('refuses %s with a documented status', async (_, body, type, status) => {
    const answer = await client.post(`/flows${UNKNOWN}/publish`, body, { 'content-type': type })
    expect(answer.status).toBe(status)
    expect(publish?.statuses.has(status)).toBe(true)
  })

  test('documents each of these refusals', () => {
    expect(bodiless.length).toBeGreaterThan(5)
    for (const { id, errorFormat, statuses } of bodiless) {
      expect([id, statuses.has(errorFormat === 'v1' ? 400 : 422), statuses.has(413), statuses.has(415)]).toEqual([
        id,
        true,
        true,
        true,
      ])
    }
  })
})

describe('the longest body', () => {
  const ofIdentity = DOCUMENTED.filter(({ path, method }) => {
    return method === 'POST' && /^\/(v2\.3\/oauth|flows\/v1\/(activations|password|sessions|impersonation))/.test(path)
  })

  test('of each operation of identity is 16 KiB', async () => {
    expect(ofIdentity.length).toBeGreaterThan(6)
    for (const { id, path } of ofIdentity) {
      const { status } = await client.post(path.replace(/\{\w+\}/, 'grant_1'), 'x'.repeat(16 * 1024 + 1))
      expect([id, status]).toEqual([id, 413])
    }
  })

  test('of other operations is 1 MiB', async () => {
    const sent = (length: number) => client.post('/v1/parts', `{"title":"${'x'.repeat(length - 12)}"}`)
    expect([(await sent(1024 * 1024)).status, (await sent(1024 * 1024 + 1)).status]).toEqual([400, 413])
  })
})

describe('an unknown query parameter', () => {
  /** The examples of these fields exclude each other. */
  const EXCLUDED: Readonly<Record<string, readonly string[]>> = {
    createCase: ['rfqId'],
    createCaseTask: ['dueTime'],
    createChangeRequest: ['cancel', 'fee'],
    patchCaseTask: ['dueTime'],
    createSubscription: ['ipOwnerOrgId'],
    offerForRfqPackage: ['csv'],
  }
  const bodyOf = (id: string, body: unknown) =>
    EXCLUDED[id] === undefined
      ? body
      : { ...(body as object), ...Object.fromEntries(EXCLUDED[id].map((field) => [field, undefined])) }

  test.each(DOCUMENTED.map((operation) => [operation.id, operation] as const))(
    'of %s is refused by its name',
    async (_, operation) => {
      const input = exampleInput(operation)
      const target = targetOf(operation, { ...input, query: { ...input.query, unbekannt: 'geheimer-wert' } })
      const answer = await client.send<ProblemDocument & { error: { details: ProblemDocument['errors'] } }>(
        operation.method,
        target,
        {
          body: bodyOf(operation.id, input.body),
          headers: input.headers,
        },
      )
      expect(answer.status).toBe(operation.errorFormat === 'v2.3' ? 422 : 400)
      if (operation.errorFormat !== 'oauth') {
        const errors = operation.errorFormat === 'v1' ? answer.body.errors : answer.body.error.details
        expect(errors?.[0]?.field).toBe('unbekannt')
      }
      expect(answer.text).toContain('is not a parameter of this request')
      expect(answer.text).not.toContain('geheim')
    },
  )

  test('names the parameter that was probably meant', async () => {
    const { body } = await client.get<ProblemDocument>('/v1/rfqs?status=OPEN')
    expect(body.detail).toBe('status: is not a parameter of this request. Probably meant: state')
  })

  test('of a page is ignored', async () => {
    for (const path of ['/docs', '/activate', '/impersonate']) {
      expect((await anonymous.get(`${path}?utm_source=mail`)).status).toBe(200)
    }
  })
})

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

describe('paths and methods', () => {
  test.each([
    ['/v1/parts/', '/v1/parts'],
    ['/v1//parts', '/v1/parts'],
    [`${UNKNOWN}/`, '/v1/parts/{id}'],
    ['//v2.3/oauth/token//', '/v2.3/oauth/token'],
  ])('%s has a slash too many: 404 with the path that was meant', async (path, meant) => {
    const { status, text } = await client.get(path)
    expect(status).toBe(404)
    expect(text).toContain(`It has a slash too many: the path is ${meant}.`)
  })

  test('an unknown path is 404 without a hint', async () => {
    for (const path of ['/v1/nope/', '/v1/', '/v1/parts/x/y/z/']) {
      expect((await client.get<ProblemDocument>(path)).body.detail).toBe('There is nothing at this path.')
    }
  })

  test('the batch path matches percent-encoded, and longer or shorter paths are 404', async () => {
    const body = { ids: ['iso-14224-pu'] }
    expect((await client.post('/v1/categories:batch-get', body)).status).toBe(200)
    expect((await client.post('/v1/categories%3Abatch-get', body)).status).toBe(200)
    for (const path of ['/v1/categoriesXYZ', '/v1/categories:batch-getX', '/v1/categories:', '/v1/categories:x']) {
      expect((await client.post(path, body)).status).toBe(404)
    }
    const get = await client.get('/v1/categories:batch-get')
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  })

  test('HEAD returns the headers of GET without the body', async () => {
    const [get, head] = [await client.get('/v1/parts'), await client.send('HEAD', '/v1/parts')]
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)))
    expect((await client.send('HEAD', '/v1/nope')).status).toBe(404)
    expect((await anonymous.send('HEAD', '/v1/parts')).status).toBe(401)
  })

  test('OPTIONS is 204 with Allow', async () => {
    const answer = await anonymous.send('OPTIONS', '/v1/parts')
    expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'GET, POST, HEAD, OPTIONS'])
  })

  test('OPTIONS of a verb lists its methods, not those of a record with that id', async () => {
    const answer = await anonymous.send('OPTIONS', '/flows/v1/impersonation-grants/redeem')
    expect(answer.headers.get('allow')).toBe('POST, OPTIONS')
  })

  test('405 lists the allowed methods in Allow', async () => {
    const answer = await client.send<ProblemDocument>('PUT', UNKNOWN)
    expect([answer.status, answer.headers.get('allow'), answer.body.code]).toEqual([
      405,
      'GET, HEAD, OPTIONS',
      'method_not_allowed',
    ])
    expect(answer.body.detail).toBe('PUT is not allowed here. Allowed: GET, HEAD, OPTIONS.')
  })

  test.each([
    ['PATCH', UNKNOWN, '/flows/v1/parts/{id}'],
    ['DELETE', UNKNOWN, '/flows/v1/parts/{id}'],
    ['POST', '/v1/users', '/flows/v1/users'],
  ])('405 for %s %s names the path of /flows/v1', async (method, path, meant) => {
    const answer = await client.send<ProblemDocument>(method, path)
    expect([answer.status, answer.body.detail]).toEqual([
      405,
      `${method} is not allowed here. Allowed: ${answer.headers.get('allow')}. ${method} is at ${meant}.`,
    ])
  })

  test('an unknown path of /v2.3 is 404 in the envelope of /v2.3', async () => {
    const answer = await anonymous.get('/v2.3/nope')
    expect([answer.status, answer.text]).toEqual([
      404,
      '{"error":{"code":"not_found","message":"There is nothing at this path."}}',
    ])
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
