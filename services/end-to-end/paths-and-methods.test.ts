import { describe, expect, test } from 'bun:test'
import type { ProblemDocument } from '../testing/client.ts'
import { testMarketplace } from '../testing/marketplace.ts'

const market = await testMarketplace()
const { client } = (await market.organization(['IP_OWNER'])).administrator
const { anonymous } = market
const UNKNOWN = '/v1/parts/part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'

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
