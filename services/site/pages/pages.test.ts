import { describe, expect, test } from 'bun:test'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { sendRaw } from '../../testing/socket.ts'

const market = await marketplaceOf([])

const get = (path: string) =>
  sendRaw(market.running.port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

describe('GET /', () => {
  const root = (headers: Record<string, string> = {}, url = market.url) => fetch(url, { headers, redirect: 'manual' })

  test.each([undefined, '*/*', 'application/json'])(
    'redirects a program that accepts %p to the documentation',
    async (accept) => {
      const { status, headers } = await root(accept ? { accept } : {})
      expect([status, headers.get('location')]).toEqual([302, '/docs'])
    },
  )

  test.each([
    ['en-GB,en;q=0.9', 'en', 'You buy parts', 'Sign in'],
    ['de-CH,de;q=0.9,en;q=0.5', 'de', 'Sie fertigen Teile', 'Anmelden'],
  ])('is a page for people in a browser with the languages %s', async (languages, language, group, signIn) => {
    const answer = await root({ accept: BROWSER, 'accept-language': languages })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(answer.headers.get('vary')).toBe('Accept, Accept-Language')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    const page = await answer.text()
    for (const text of [`<html lang="${language}">`, group, `<a class="begin" href="/console">${signIn}</a>`]) {
      expect(page).toContain(text)
    }
    for (const [, url = ''] of page.matchAll(/(?:src|href)="([^"]*)"/g)) {
      expect([url, (await get(url)).status]).toEqual([url, 200])
    }
  })

  test('does not lead to a console that is switched off', async () => {
    const without = await marketplaceOf([], { CONSOLE: 'false' })
    expect(await (await root({ accept: BROWSER }, without.url)).text()).not.toContain('/console')
  })
})

describe('GET /.well-known/security.txt', () => {
  test('says where to report vulnerabilities, and expires within a year', async () => {
    const SECURITY_CONTACT = 'mailto:security@example.com https://example.com/report'
    const named = await marketplaceOf([], { SECURITY_CONTACT })
    const answer = await fetch(`${named.url}/.well-known/security.txt`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    const [first, second, expires = '', ...others] = (await answer.text()).split('\n')
    expect([first, second]).toEqual(['Contact: mailto:security@example.com', 'Contact: https://example.com/report'])
    expect(expires).toMatch(/^Expires: \d{4}-\d\d-\d\dT00:00:00\.000Z$/)
    const days = (Date.parse(expires.slice('Expires: '.length)) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(88)
    expect(days).toBeLessThan(91)
    expect(others).toEqual([`Canonical: ${named.config.PUBLIC_URL}/.well-known/security.txt`, ''])
  })

  test('is 404 without a contact', async () => {
    expect((await fetch(`${market.url}/.well-known/security.txt`)).status).toBe(404)
  })

  test.each(['security@example.com', 'mailto:security@example.com\nContact: tel:1', 'http://example.com', ' mailto:a'])(
    'the contact %p is refused at the start',
    async (SECURITY_CONTACT) => {
      await expect(marketplaceOf([], { SECURITY_CONTACT })).rejects.toThrow('SECURITY_CONTACT')
    },
  )
})

test.each(['/docs/', '/docs/api/', '/activate/', '/impersonate/', '/mail-address/'])(
  'GET %s redirects to the page without the slash',
  async (path) => {
    const { status, headers } = await get(path)
    expect([status, headers.location]).toEqual([308, path.slice(0, -1)])
  },
)

test.each(['/docs', '/docs/api', '/activate', '/impersonate', '/mail-address'])(
  'GET %s is a page that loads nothing from elsewhere',
  async (path) => {
    const { status, headers, body } = await get(path)
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    for (const [, url = ''] of body.matchAll(/(?:src|href)="([^"#]*)/g)) {
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
    '/docs/site.css/',
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

describe('an unknown address', () => {
  const at = (path: string, accept?: string) => fetch(`${market.url}${path}`, accept ? { headers: { accept } } : {})

  test.each(['/nope', '/docs/guides/nope', '/docs/nope.js', '/v1x/nope', '/%ff'])(
    'GET %s is a page in a browser',
    async (path) => {
      const answer = await at(path, BROWSER)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
      expect(answer.headers.get('vary')).toContain('Accept')
      expect(answer.headers.get('content-security-policy')).toBe(
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
      )
      const page = await answer.text()
      expect(page).toContain('<h1>Not found</h1>')
      for (const [, url = ''] of page.matchAll(/(?:src|href)="([^"]*)"/g)) expect((await at(url)).status).toBe(200)
    },
  )

  test.each(['/v1', '/v1/nope', '/flows/v1/nope', '/v2.3/nope', '/v2.3/oauth/nope'])(
    'GET %s is the error body of the API in a browser, too',
    async (path) => {
      const answer = await at(path, BROWSER)
      const type = path.startsWith('/v2.3') ? 'application/json' : 'application/problem+json'
      expect([answer.status, answer.headers.get('content-type')]).toEqual([404, type])
    },
  )

  test.each([undefined, '*/*', 'application/json', 'application/json, text/html;q=0.5'])(
    'is the error envelope of its prefix for a program that accepts %p',
    async (accept) => {
      const [v1, v23] = [await at('/nope', accept), await at('/v2.3/nope', accept)]
      expect([v1.status, v1.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
      expect(await v1.json()).toMatchObject({ code: 'not_found', instance: '/nope' })
      expect(await v23.json()).toEqual({ error: { code: 'not_found', message: 'There is nothing at this path.' } })
    },
  )

  test('that has a path in it shows it as text', async () => {
    const page = await (await at('/<script>alert(1)</script>', BROWSER)).text()
    expect(page).not.toContain('<script>')
  })

  test('of a POST, and an unknown record, are the error envelope in a browser, too', async () => {
    const posted = await fetch(`${market.url}/nope`, { method: 'POST', headers: { accept: BROWSER } })
    expect(posted.headers.get('content-type')).toBe('application/problem+json')
    const record = await at('/v1/orgs/org_1', BROWSER)
    expect([record.status, record.headers.get('content-type')]).toEqual([401, 'application/problem+json'])
  })
})

describe('the pages of links', () => {
  test.each([
    ['/activate', '/docs/api?sign-in'],
    ['/activate', '/console'],
    ['/impersonate', '/console'],
    ['/impersonate', '/docs/guides/getting-started'],
    ['/mail-address', '/docs/guides/organization'],
  ])('%s names the marketplace, tells what comes next, and follows the colours of the browser', async (path, next) => {
    const page = await (await fetch(`${market.url}${path}`)).text()
    expect(page).toContain('> Sourcing and Manufacturing Marketplace</p>')
    expect(page).toContain('<meta name="color-scheme" content="light dark">')
    expect(page).toContain(`href="${next}"`)
    const styles = await (await fetch(`${market.url}/docs/form.css`)).text()
    expect(styles).toContain('color-scheme: light dark')
    expect(styles).toContain('--paper: light-dark(#fff, #12171c)')
  })
})
