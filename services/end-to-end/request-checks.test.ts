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
    createOrg: ['distributorOrgId'],
    patchCaseTask: ['dueTime'],
    patchOrg: ['distributorOrgId'],
    createSubscription: ['ipOwnerOrgId'],
    offerForRfqPackage: ['csv'],
    startPasskey: ['assertion'],
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
