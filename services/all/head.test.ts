import { describe, expect, test } from 'bun:test'
import { testMarketplace } from '../testing/marketplace.ts'
import { sendRaw } from '../testing/socket.ts'

const market = await testMarketplace()
const { client } = (await market.organization(['IP_OWNER'])).administrator
const authorization = `Authorization: Bearer ${client.accessToken}\r\n`

const ask = (method: string, path: string, headers = authorization, host = 'localhost') =>
  sendRaw(market.running.port, `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}\r\n`)

/** What differs from one answer to the next. */
const OF_EACH_ANSWER = ['date', 'connection', 'x-request-id', 'ratelimit']

const withoutThose = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_EACH_ANSWER.includes(name)))

describe('HEAD has the status and headers of GET, and no body', () => {
  test.each([
    ['a read out of memory', '/v1/criticalities', authorization],
    ['a read out of the database', '/v1/parts', authorization],
    ['an answer made while it is sent', '/flows/v1/audit-log/export', authorization],
    ['a page', '/docs', ''],
    ['a document', '/openapi.json', ''],
    ['an unknown record', '/v1/parts/part_01JZ8Q4D3R1G5M7VJ0T6W2X9YB', authorization],
    ['an unknown path', '/v1/nope', authorization],
    ['a bad query', '/v1/parts?page=0', authorization],
    ['no token', '/v1/parts', ''],
    ['a path that dots lead out of', '/v1/materials/..', authorization],
    ['a path that dots lead to', '/v1/x/../criticalities', authorization],
    ['what has not changed', '/v1/criticalities', `${authorization}If-None-Match: *\r\n`],
  ])('for %s', async (_, path, headers) => {
    const [get, head] = [await ask('GET', path, headers), await ask('HEAD', path, headers)]
    expect(head.status).toBe(get.status)
    expect(head.body).toBe('')
    expect(withoutThose(head.headers)).toEqual(withoutThose(get.headers))
  })
})

test('304 says nothing of a content that it does not have', async () => {
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = await ask(method, '/v1/criticalities', `${authorization}If-None-Match: *\r\n`)
    expect(status).toBe(304)
    expect(Object.keys(headers)).not.toContain('content-type')
    expect(Object.keys(headers)).not.toContain('content-length')
    expect(headers.etag).toMatch(/^"\w+"$/)
  }
})

test.each([['a:99999'], [':8123'], ['[::1]:65536'], ['[1.2.3.4]'], ['1.2.3.999'], ['0xffffffffff'], ['']])(
  'a host that no URL can have is 400 for every method: %p',
  async (host) => {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
      const { status, headers } = await ask(method, '/v1/criticalities', authorization, host)
      expect([method, status, headers['content-type']]).toEqual([method, 400, 'application/problem+json'])
    }
  },
)

test('a host may have an empty port', async () => {
  expect((await ask('GET', '/v1/criticalities', authorization, 'localhost:')).status).toBe(200)
})

test('dots are steps of a path, whichever record they would name', async () => {
  const { status, body } = await ask('GET', '/v1/materials/..')
  expect(status).toBe(404)
  expect(JSON.parse(body)).toMatchObject({ instance: '/v1/', detail: 'There is nothing at this path.' })
})
