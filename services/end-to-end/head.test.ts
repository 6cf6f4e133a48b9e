import { describe, expect, test } from 'bun:test'
import { testMarketplace } from '../testing/marketplace.ts'
import { sendRaw } from '../testing/socket.ts'

const market = await testMarketplace()
const { client } = (await market.organization(['IP_OWNER'])).administrator
const authorization = `Authorization: Bearer ${client.accessToken}\r\n`

const send = (method: string, path: string, headers = authorization, host = 'localhost') =>
  sendRaw(market.running.port, `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}\r\n`)

/** Headers that differ between responses. */
const VARYING_HEADERS = ['date', 'connection', 'x-request-id', 'ratelimit']

const withoutVarying = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !VARYING_HEADERS.includes(name)))

describe('HEAD returns the status and headers of GET and no body', () => {
  test.each([
    ['a read from memory', '/v1/criticalities', authorization],
    ['a read from the database', '/v1/parts', authorization],
    ['a streamed response', '/flows/v1/audit-log/export', authorization],
    ['a page', '/docs', ''],
    ['a document', '/openapi.json', ''],
    ['an unknown record', '/v1/parts/part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB', authorization],
    ['an unknown path', '/v1/nope', authorization],
    ['a bad query', '/v1/parts?page=0', authorization],
    ['no token', '/v1/parts', ''],
    ['a path with a trailing dot segment', '/v1/materials/..', authorization],
    ['a path with an inner dot segment', '/v1/x/../criticalities', authorization],
    ['an unchanged catalog', '/v1/criticalities', `${authorization}If-None-Match: *\r\n`],
  ])('for %s', async (_, path, headers) => {
    const [get, head] = [await send('GET', path, headers), await send('HEAD', path, headers)]
    expect(head.status).toBe(get.status)
    expect(head.body).toBe('')
    expect(withoutVarying(head.headers)).toEqual(withoutVarying(get.headers))
  })
})

test('304 has an ETag and no content headers', async () => {
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = await send(method, '/v1/criticalities', `${authorization}If-None-Match: *\r\n`)
    expect(status).toBe(304)
    expect(Object.keys(headers)).not.toContain('content-type')
    expect(Object.keys(headers)).not.toContain('content-length')
    expect(headers.etag).toMatch(/^"\w+"$/)
  }
})

test.each([['a:99999'], [':8123'], ['[::1]:65536'], ['[1.2.3.4]'], ['1.2.3.999'], ['0xffffffffff'], ['']])(
  'an invalid host is 400 for every method: %p',
  async (host) => {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
      const { status, headers } = await send(method, '/v1/criticalities', authorization, host)
      expect([method, status, headers['content-type']]).toEqual([method, 400, 'application/problem+json'])
    }
  },
)

test('a host with an empty port is accepted', async () => {
  expect((await send('GET', '/v1/criticalities', authorization, 'localhost:')).status).toBe(200)
})

test('dot segments of a path are resolved before routing', async () => {
  const { status, body } = await send('GET', '/v1/materials/..')
  expect(status).toBe(404)
  expect(JSON.parse(body)).toMatchObject({ instance: '/v1/', detail: 'There is nothing at this path.' })
})
