import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { brotliCompressSync } from 'node:zlib'
import { ERRORS } from '../../../proto/errors.ts'
import { PERMISSIONS } from '../../../proto/permissions.ts'
import { PROCEDURES } from '../../../proto/procedures.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import de from './app/texts/de.json'
import en from './app/texts/en.json'

const market = await marketplaceOf([], { FILES_ORIGIN: 'https://files.example.com' })
const MAX_COMPRESSED_BYTES = 135_000
const MAX_FIRST_SCREEN_BYTES = 70_000

const ADDRESSES = [
  ...[
    '/console',
    '/console/rfqs',
    '/console/rfqs/rfq_1',
    '/console/rfqs/rfq_1/comparison',
    '/console/rfqs/rfq_1/offer',
  ],
  ...['/console/orders/order_1', '/console/parts/part_1', '/console/factories/factory_1', '/console/organization'],
  ...['/console/account', '/console/webhooks/wh_1'],
]

test.each(ADDRESSES)('%s answers the page, which may load and reach only what it names', async (address) => {
  const page = await market.anonymous.get(address)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  const [, style = ''] = /<style>([^<]*)<\/style>/.exec(page.text) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  expect(page.headers.get('content-security-policy')).toBe(
    `default-src 'none'; script-src 'self'; style-src 'self' 'sha256-${hash}'; img-src 'self' blob: https://files.example.com; connect-src 'self' https://files.example.com; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`,
  )
  expect(page.headers.get('referrer-policy')).toBe('no-referrer')
  // The only style sheet in the page is that of its skeleton, which the policy names by its hash.
  expect(style).toContain('.skeleton{')
  expect(page.text.replace(`<style>${style}</style>`, '')).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/)
})

test('the first screen needs less than 70 kB compressed, and all screens in one language less than 135 kB', async () => {
  const page = await market.anonymous.get('/console')
  const assets = [...page.text.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
  const preloaded = assets.splice(2, 2)
  expect(assets.map((path) => path.replace(/[0-9a-f]{12}$/, ''))).toEqual([
    '/console/assets/early.js?v=',
    '/console/assets/console.js?v=',
    '/console/assets/console.css?v=',
  ])
  const sizeOf = async (path: string) => brotliCompressSync((await market.anonymous.get(path)).text).byteLength
  const [common = '', texts = ''] = preloaded
  expect(preloaded.map((path) => path.replace(/-[0-9a-z]+\.js$/, ''))).toEqual([
    '/console/assets/main',
    '/console/assets/en',
  ])
  const sizes = await Promise.all([...assets, common].map(sizeOf))
  const script = (await market.anonymous.get(common)).text + (await market.anonymous.get(assets[1] ?? '')).text
  const chunks = [...script.matchAll(/import\("\.\/([\w-]+\.js)"\)/g)].map(([, name]) => `/console/assets/${name}`)
  const languages = chunks.filter((path) => /\/(en|de)-/.test(path))
  expect(languages).toHaveLength(2)
  expect(languages).toContain(texts)
  const inLanguages = await Promise.all(languages.map(sizeOf))
  expect(Math.min(...sizes.slice(1), ...inLanguages)).toBeGreaterThan(1_000)
  // It runs first, so it is small.
  expect(sizes[0]).toBeLessThan(500)
  const first = sizes.reduce((sum, each) => sum + each) + Math.max(...inLanguages)
  expect(first).toBeLessThan(MAX_FIRST_SCREEN_BYTES)
  const [others = ''] = chunks.filter((path) => path.includes('/all-'))
  expect(first + (await sizeOf(others))).toBeLessThan(MAX_COMPRESSED_BYTES)
})

test('a script of another release is 404, so that the page loads the present ones', async () => {
  expect((await market.anonymous.get('/console/assets/all-0000000.js')).status).toBe(404)
})

test.each([
  ['de-CH,de;q=0.9,en;q=0.8', 'de'],
  ['fr, en-GB;q=0.8, de;q=0.5', 'en'],
  ['fr', 'en'],
])('the page for a browser that wants %s loads the texts in %s with the script', async (wanted, language) => {
  const page = await market.anonymous.get('/console', { headers: { 'accept-language': wanted } })
  expect(page.text).toMatch(new RegExp(`<link rel="modulepreload" href="/console/assets/${language}-[0-9a-z]+\\.js">`))
  expect(page.headers.get('vary')).toContain('Accept-Language')
})

test('the texts of another release are the present ones; a language without texts is 404', async () => {
  const other = await market.anonymous.get('/console/assets/de-0older0.js')
  expect([other.status, other.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
  expect(other.text).toContain('Nachfertigung')
  expect((await market.anonymous.get('/console/assets/fr-0older0.js')).status).toBe(404)
})

test('each word of permissions, actions and errors has one in German', () => {
  const words = [...PERMISSIONS, ...PROCEDURES, ...Object.keys(ERRORS)].flatMap((code) => code.split(/[.:]/))
  expect(words.length).toBeGreaterThan(250)
  expect(words.filter((word) => !Object.hasOwn(de.words, word))).toEqual([])
})

/** The texts by their keys, such as `home.next`. */
const leaves = (texts: object, prefix = ''): [key: string, text: string][] =>
  Object.entries(texts).flatMap(([key, text]) =>
    typeof text === 'string' ? [[prefix + key, text]] : leaves(text, `${prefix}${key}.`),
  )

test('the German texts have the keys and placeholders of the English ones, and none is empty', () => {
  const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort()
  const shapeOf = ({ words: _, systemRoles: __, ...texts }: typeof en | typeof de) =>
    leaves(texts)
      .map(([key, text]) => [key, text.trim() !== '', ...placeholders(text)])
      .sort()
  expect(shapeOf(de).length).toBeGreaterThan(500)
  expect(shapeOf(de)).toEqual(shapeOf(en))
})

test.each(['/console/assets/other.js', '/console/rfqs/rfq_1/offer/more'])('%s is 404', async (path) => {
  expect((await market.anonymous.get(path)).status).toBe(404)
})

test('CONSOLE=false: its addresses are those of an unknown path', async () => {
  const without = await marketplaceOf([], { CONSOLE: 'false' })
  const unknown = await without.anonymous.get('/nothing')
  for (const path of ['/console', '/console/rfqs', '/console/assets/console.js']) {
    const answer = await without.anonymous.get<{ detail: string; code: string }>(path)
    expect([answer.status, answer.body.code, answer.body.detail]).toEqual([
      404,
      'not_found',
      (unknown.body as { detail: string }).detail,
    ])
  }
  for (const path of ['/docs', '/activate', '/impersonate']) {
    expect((await without.anonymous.get(path)).text).not.toContain('/console')
    expect((await market.anonymous.get(path)).text).toContain('href="/console"')
  }
})
