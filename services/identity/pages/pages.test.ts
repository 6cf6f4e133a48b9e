import { describe, expect, test } from 'bun:test'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { sendRaw } from '../../testing/socket.ts'

const market = await marketplaceOf([])

const get = (path: string) =>
  sendRaw(market.running.port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)

test('GET / redirects to the documentation', async () => {
  const { status, headers } = await get('/')
  expect([status, headers.location]).toEqual([302, '/docs'])
})

test.each(['/docs/', '/activate/', '/impersonate/'])('GET %s redirects to the page without the slash', async (path) => {
  const { status, headers } = await get(path)
  expect([status, headers.location]).toEqual([308, path.slice(0, -1)])
})

test.each(['/docs', '/activate', '/impersonate'])(
  'GET %s is a page that loads nothing from elsewhere',
  async (path) => {
    const { status, headers, body } = await get(path)
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    for (const [, url = ''] of body.matchAll(/(?:src|href)="([^"]*)"/g)) {
      expect(url).toStartWith('/')
      expect([url, (await get(url)).status]).toEqual([url, 200])
    }
  },
)

test('GET /favicon.ico is an image', async () => {
  const { status, headers } = await get('/favicon.ico')
  expect([status, headers['content-type']]).toEqual([200, 'image/svg+xml'])
})

describe('a path that belongs to no page', () => {
  test.each([
    '/docs/nope.js',
    '/docs/..%2froutes.ts',
    '/docs/__proto__',
    '/docs/page.css/',
    '/docs//',
    '/favicon.ico/x',
  ])('GET %s is 404', async (path) => {
    expect((await get(path)).status).toBe(404)
  })
})

test('GET /openapi.json is the OpenAPI document, which describes no page', async () => {
  const { body } = await market.anonymous.get<{ openapi: string; paths: object }>('/openapi.json')
  expect(body.openapi).toBe('3.1.0')
  const described = Object.keys(body.paths)
  for (const path of ['/', '/docs', '/docs/{asset}', '/activate', '/impersonate', '/favicon.ico', '/openapi.json']) {
    expect(described).not.toContain(path)
  }
})
