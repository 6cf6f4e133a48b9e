import { describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { searchOf } from './documentation/search.js'

/** What the tests read of the document of the page. */
interface Shown {
  paths: Record<string, Record<string, { tags: string[]; 'x-badges': { name: string }[] }>>
  'x-tagGroups': { name: string; tags: string[] }[]
}

const PUBLIC_URL = 'https://market.example.com'
const market = await marketplaceOf([], { PUBLIC_URL })
const at = (path: string, headers: Record<string, string> = {}) => fetch(`${market.url}${path}`, { headers })
const documentAt = async (path: string) => (await at(path)).json() as Promise<Shown>
const read = async (path: string) => (await at(path)).text()

/** In the order of the pages. */
const GUIDES = [
  'getting-started',
  'sign-in',
  'service-accounts',
  'parts-and-files',
  'trade',
  'webhooks',
  'event-streams',
  'organization',
  'errors',
  'paging',
  'retries',
  'limits',
  'trying-out',
  'generated-clients',
  'changes',
]

describe('a guide', () => {
  test('every guide is a page, and Markdown with the address of the marketplace', async () => {
    const files = await readdir(join(import.meta.dir, '..', '..', '..', 'proto', 'guides'))
    // The changes are the changelog.
    expect([...files, 'changes.md'].sort()).toEqual(GUIDES.map((name) => `${name}.md`).sort())
    for (const name of GUIDES) {
      const page = await at(`/docs/guides/${name}`)
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      expect(page.headers.get('content-security-policy')).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
      )
      const markdown = await at(`/docs/guides/${name}.md`)
      expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
      const text = await markdown.text()
      expect(text).toStartWith('# ')
      expect(text).not.toContain('localhost:8080')
    }
    expect(await read('/docs/guides/getting-started.md')).toContain(`BASE=\${BASE:-https://market.example.com}`)
  })

  test('leads to the ones before and after it', async () => {
    const steps = await Promise.all(
      GUIDES.map(async (name) => {
        const page = await read(`/docs/guides/${name}`)
        return [/rel="prev" href="([^"]*)"/, /rel="next" href="([^"]*)"/].map((link) => link.exec(page)?.[1])
      }),
    )
    const links = GUIDES.map((name) => `/docs/guides/${name}`)
    expect(steps).toEqual(links.map((_, index) => [links[index - 1], links[index + 1]]))
  })

  test('has no link that leads nowhere', async () => {
    const pages = ['/docs', ...GUIDES.map((name) => `/docs/guides/${name}`)]
    const texts = await Promise.all(pages.map(read))
    const links = new Set(
      texts.flatMap((text) => [...text.matchAll(/(?:href|src)="(\/[^"#?]*)/g)].map(([, link]) => link)),
    )
    expect(links).toContain('/docs/guides/trade')
    for (const link of links) expect([link, (await at(link ?? '')).status]).toEqual([link, 200])
    for (const [index, text] of texts.entries()) {
      for (const [, id] of text.matchAll(/href="#([^"]*)"/g))
        expect([pages[index], text.includes(`id="${id}"`)]).toEqual([pages[index], true])
    }
  })

  test('names another guide with a link to it', async () => {
    const page = await read('/docs/guides/trade')
    expect(/the variables of [^.]*/.exec(page)?.[0]).toBe(
      'the variables of <a href="/docs/guides/getting-started">Getting started</a>',
    )
  })

  test('shows the same program in several languages as one sample', async () => {
    const samples = [...(await read('/docs/guides/webhooks')).matchAll(/<div class="samples">([\s\S]*?)<\/div>/g)]
    const languages = samples.map(([, text = '']) =>
      [...text.matchAll(/class="language-(\w+)"/g)].map(([, name]) => name),
    )
    expect([...new Set(languages.map(String))].sort()).toEqual(['sh,ts,python', 'ts,python'])
  })

  test('draws the states of records instead of their source', async () => {
    const page = await read('/docs/guides/trade')
    expect(page).not.toContain('stateDiagram')
    const drawings = [...page.matchAll(/<figure><svg [\s\S]*?<\/svg>/g)].map(([drawing]) => drawing)
    const texts = drawings.map((drawing) => [...drawing.matchAll(/<text[^>]*>([^<]*)/g)].map(([, text]) => text))
    expect(texts.map((words) => words.find((word) => /^[A-Z]+$/.test(word ?? '')))).toEqual([
      'DRAFT',
      'DRAFT',
      'DRAFT',
      'PLACED',
      'OPEN',
    ])
    expect(texts[3]).toEqual(expect.arrayContaining(['IN_PRODUCTION', 'ON_HOLD', 'rework', 'resume']))
    // The policy of the page would refuse a style of their own.
    for (const drawing of drawings) expect(drawing).not.toMatch(/style=|<style/)
  })

  test('has each table in a box that scrolls, whose words stay whole', async () => {
    const page = await read('/docs/guides/trade')
    expect(page.match(/<table>/g)).toHaveLength(2)
    expect(page.match(/<div class="table"><table>/g)).toHaveLength(2)
    const styles = await read('/docs/text.css')
    expect(styles).toMatch(/\.text \.table \{[^}]*overflow-x: auto;/)
    expect(styles).toMatch(/\.text table \{[^}]*overflow-wrap: normal;\s*word-break: normal;\s*hyphens: none;/)
    expect(styles).not.toContain('break-all')
  })
})

describe('the search', () => {
  const entries = async () => (await at('/docs/search.json')).json()

  test.each([
    ['webhook signature', '/docs/guides/webhooks#write-a-receiver'],
    ['Signatures of WEBHOOKS', undefined],
    ['sealed prices', '/docs/guides/trade#who-sees-what'],
    ['Idempotency-Key', '/docs/guides/retries#create-once'],
    ['award an rfq', '/docs/api#tag/rfqs/POST/flows/v1/rfqs/{id}/award'],
    ['/v1/parts/{id}/history', '/docs/api#tag/parts/GET/v1/parts/{id}/history'],
    ['impersonation revoke', '/docs/api#tag/impersonation/POST/flows/v1/impersonation-grants/{id}/revoke'],
    ['pagination', '/docs/guides/paging'],
    ['sandbox', '/docs/guides/trying-out#a-sandbox-of-your-own'],
    ['postman', '/docs/guides/trying-out#postman-insomnia-bruno'],
    ['sdk', '/docs/guides/trying-out#sdks-and-a-command-line'],
    ['changelog', '/docs/guides/changes'],
    ['timeouts', '/docs/guides/limits#timeouts'],
    ['rate limit', '/docs/guides/limits#rate-limits'],
    ['versioning', '/docs/guides/changes'],
    ['unobtainium', '/docs/guides/paging#many-records-by-id'],
  ])('of %p finds %p', async (query, url) => {
    const found: string[] = searchOf(await entries())(query).map((entry: { url: string }) => entry.url)
    if (url === undefined) expect(found).toEqual([])
    else expect(found).toContain(url)
  })

  test('finds a title before a text, at most twelve entries, and nothing for an empty query', async () => {
    const search = searchOf(await entries())
    expect(search('paging')[0].url).toBe('/docs/guides/paging')
    expect(search('idempotency')[0].url).toBe('/docs/guides/retries#create-once')
    expect(search('a')).toHaveLength(12)
    expect([search(''), search(' - ')]).toEqual([[], []])
  })
})

describe('the API reference', () => {
  test('goes by resource and task, those of a trade first', async () => {
    const shown = await documentAt('/docs/openapi.json')
    expect(shown['x-tagGroups'].map(({ name }) => name)).toEqual([
      'Trade',
      'Events',
      'Access',
      'Organization',
      'Reference data',
    ])
    expect(shown['x-tagGroups'][0]?.tags).toEqual([
      'Parts',
      'Files',
      'RFQs',
      'Offers',
      'Orders',
      'Assignments',
      'Cases',
      'Factories',
    ])
  })

  test('has the operations of a resource in the order of its life, each with a badge', async () => {
    const shown = await documentAt('/docs/openapi.json')
    const offers = Object.entries(shown.paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { tags, 'x-badges': badges }]) =>
        tags[0] === 'Offers' ? [`${method} ${path}: ${badges.map(({ name }) => name)}`] : [],
      ),
    )
    expect(offers).toEqual([
      'get /v1/offers: Specification',
      'post /flows/v1/offers: Addition',
      'get /v1/offers/{id}: Specification',
      'patch /flows/v1/offers/{id}: Addition',
      'post /flows/v1/offers/{id}/submit: Addition',
      'post /flows/v1/offers/{id}/revise: Addition',
      'post /flows/v1/offers/{id}/withdraw: Addition',
      'post /flows/v1/offers/{id}/reject: Addition',
      'post /flows/v1/offers/{id}/accept: Addition',
    ])
  })

  test('has every operation of the public document', async () => {
    const named = (document: Shown) =>
      Object.entries(document.paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`))
    const [shown, all] = await Promise.all([documentAt('/docs/openapi.json'), documentAt('/openapi.json')])
    expect(named(shown).sort()).toEqual(named(all).sort())
  })
})

describe('for programs', () => {
  test('/llms.txt lists each guide as Markdown, and the contracts', async () => {
    const answer = await at('/llms.txt')
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    const text = await answer.text()
    expect(text).toStartWith('# Sourcing and Manufacturing Marketplace\n\n> Companies find manufacturers for a part')
    const links = [...text.matchAll(/^- \[[^\]]+\]\((\S+)\): \S/gm)].map(([, link]) => link)
    expect(links).toEqual(
      [
        ...GUIDES.map((name) => `/docs/guides/${name}.md`),
        '/docs/guides/getting-started.md#clients-and-a-command-line',
        ...['/openapi.json', '/asyncapi.json', '/docs/guides.md'],
      ].map((path) => `${PUBLIC_URL}${path}`),
    )
    for (const link of links) expect((await at(new URL(link ?? '').pathname)).status).toBe(200)
    expect(await read('/docs/guides/getting-started.md')).toContain('\n## Clients and a command line\n')
  })

  test('/asyncapi.json is the AsyncAPI document, and the first page and the guides of events link it', async () => {
    const answer = await at('/asyncapi.json')
    const { asyncapi, channels } = (await answer.json()) as { asyncapi: string; channels: object }
    expect([answer.status, answer.headers.get('content-type'), asyncapi]).toEqual([200, 'application/json', '3.0.0'])
    expect(Object.keys(channels)).toContain('assignments.status.updated')
    const unchanged = await at('/asyncapi.json', { 'if-none-match': answer.headers.get('etag') ?? '' })
    expect(unchanged.status).toBe(304)
    const links = await Promise.all(
      ['/docs', '/docs/guides/webhooks', '/docs/guides/event-streams'].map(
        async (path) => /href="([^"]*\/asyncapi\.json)"/.exec(await read(path))?.[1],
      ),
    )
    expect(links).toEqual(['/asyncapi.json', `${PUBLIC_URL}/asyncapi.json`, `${PUBLIC_URL}/asyncapi.json`])
  })
})

test('the guide of webhooks tells of each event what leads to it and who receives it', async () => {
  const markdown = await read('/docs/guides/webhooks.md')
  const table = /\| what happens \| event \| to \|\n\|---\|---\|---\|\n((?:\|.*\|\n)+)/.exec(markdown)?.[1] ?? ''
  const cells = table
    .trim()
    .split('\n')
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  for (const row of cells) expect(row.map((cell) => cell.length > 0)).toEqual([true, true, true])
  const named = cells.flatMap(([, event = '']) => {
    const [first = '', ...others] = [...event.matchAll(/`([^`]*)`/g)].map(([, name = '']) => name)
    return [first, ...others.map((name) => (name.startsWith('.') ? first.replace(/\.[a-z]+$/, name) : name))]
  })
  expect([...new Set(named)].sort()).toEqual(
    [
      ...['archived', 'closed', 'created', 'unarchived', 'updated'].map((name) => `cases.${name}`),
      ...['completed', 'created', 'deleted', 'updated'].map((name) => `cases.tasks.${name}`),
      ...['created', 'deleted', 'updated'].map((name) => `cases.expenses.${name}`),
      ...['archived', 'created', 'unarchived', 'updated', 'status.updated', 'extensions.created'].map(
        (name) => `assignments.${name}`,
      ),
      ...['contacts', 'billing-details'].flatMap((record) =>
        ['created', 'deleted', 'updated'].map((name) => `assignments.${record}.${name}`),
      ),
    ].sort(),
  )
})
