import { describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import { searchOf } from './documentation/search.js'

/** What the tests read of the document of the page. */
interface Shown {
  paths: Record<
    string,
    Record<string, { operationId: string; 'x-beta'?: true; tags: string[]; 'x-badges': { name: string }[] }>
  >
  'x-tagGroups': { name: string; tags: string[] }[]
}

interface Document {
  components: {
    schemas: { ErrorCode: { enum: string[] } }
    headers: Record<'RateLimit' | 'RateLimit-Policy', { description: string }>
  }
}

const PUBLIC_URL = 'https://market.example.com'
const market = await marketplaceWithWorkers([], { PUBLIC_URL })
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
  'company-sign-in',
  'provisioning',
  'passkeys',
  'errors',
  'paging',
  'retries',
  'limits',
  'compatibility',
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
      'ASKED',
      'DRAFT',
      'PLACED',
      'SHIPPED',
      'PROPOSED',
      'PROPOSED',
      'OPEN',
      'PROPOSED',
    ])
    expect(texts[4]).toEqual(expect.arrayContaining(['IN_PRODUCTION', 'ON_HOLD', 'hold', 'resume']))
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
    ['versioning', '/docs/guides/compatibility'],
    ['deprecated', '/docs/guides/compatibility#deprecation'],
    ['breaking change', '/docs/guides/compatibility#what-counts-as-breaking'],
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
      'Subscriptions',
      'Sales agreements',
      'RFQs',
      'RFQ packages',
      'Offers',
      'Orders',
      'Assignments',
      'Cases',
      'Inbox',
      'Factories',
      'Suppliers',
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
      'get /flows/v1/offers/{id}/files: Addition',
      'patch /flows/v1/offers/{id}/files: Addition',
      'post /flows/v1/offers/{id}/submit: Addition',
      'post /flows/v1/offers/{id}/reconfirm: Addition',
      'post /flows/v1/offers/{id}/revise: Addition',
      'post /flows/v1/offers/{id}/withdraw: Addition',
      'post /flows/v1/offers/{id}/reject: Addition',
      'post /flows/v1/offers/{id}/accept: Addition',
      'post /flows/v1/offers/{id}/reinstate: Addition',
    ])
  })

  test('has every operation of the public document', async () => {
    const named = (document: Shown) =>
      Object.entries(document.paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`))
    const [shown, all] = await Promise.all([documentAt('/docs/openapi.json'), documentAt('/openapi.json')])
    expect(named(shown).sort()).toEqual(named(all).sort())
  })
})

test('the operations in beta and the deprecated ones are those that the guide of compatibility tells', async () => {
  const document = await documentAt('/openapi.json')
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.values(item).map((operation) => ({ path, ...operation })),
  )
  expect(operations.flatMap((operation) => (operation['x-beta'] ? [operation.path] : [])).sort()).toEqual([
    '/v1/orders',
    '/v1/orders/{id}',
    '/v1/orders/{id}/history',
    '/v1/parts/{id}/history',
    '/v1/rfqs/{id}/history',
  ])
  const deprecated = operations.filter((operation) => JSON.stringify(operation).includes('"deprecated":true'))
  expect(deprecated.map(({ path }) => path)).toEqual(['/v1/offers'])
})

describe('the page of error codes', () => {
  test('explains each code where `type` of a problem leads, with status, cause and remedy', async () => {
    const { body } = await market.anonymous.get<{ type: string }>('/flows/v1/sessions')
    expect(body.type).toBe(`${PUBLIC_URL}/docs/errors#unauthorized`)
    const answer = await at('/docs/errors')
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const page = await answer.text()
    const sections = [...page.matchAll(/<h2 id="([a-z_]+)">[\s\S]*?(?=<h2|<\/main>)/g)]
    const document = (await (await at('/openapi.json')).json()) as Document
    const codes = [...document.components.schemas.ErrorCode.enum, 'unauthorized_client', 'unsupported_grant_type']
    expect(sections.map(([, code]) => code).sort()).toEqual([...codes, 'invalid_client'].sort())
    for (const [text, code] of sections) {
      expect([code, text]).toEqual([code, expect.stringMatching(/<p>[45]\d\d: .+\.<\/p>/)])
      expect([code, text]).toEqual([code, expect.stringMatching(/Cause:<\/strong> \S[\s\S]*Remedy:<\/strong> \S/)])
    }
    expect(await read('/docs/errors.md')).toContain('\n## rate_limited\n\n429: Too many requests.\n')
  })

  test('is found by its codes', async () => {
    const search = searchOf(await (await at('/docs/search.json')).json())
    expect(search('last_administrator')[0].url).toBe('/docs/errors#last_administrator')
  })
})

test('the draft of RateLimit is named by the document, for both headers, and by the guide of limits', async () => {
  const draft = 'draft-ietf-httpapi-ratelimit-headers-10'
  const { components } = (await (await at('/openapi.json')).json()) as Document
  for (const name of ['RateLimit', 'RateLimit-Policy'] as const)
    expect(components.headers[name].description).toContain(draft)
  expect(await read('/docs/guides/limits.md')).toContain(draft)
})

describe('the packages of the clients', () => {
  test('are named with their versions by getting started', async () => {
    const guide = await read('/docs/guides/getting-started.md')
    const names = [...new Set([...guide.matchAll(/\/clients\/(\S+)/g)].map(([, name]) => name))]
    const clients = join(import.meta.dir, '..', '..', '..', 'proto', 'clients')
    const { version } = await Bun.file(join(clients, 'typescript', 'package.json')).json()
    const project = await Bun.file(join(clients, 'python', 'pyproject.toml')).text()
    const [, wheel] = /^version = "(.+)"$/m.exec(project) ?? []
    expect(names).toEqual([`marketplace-${version}.tgz`, `marketplace_client-${wheel}-py3-none-any.whl`])
  })

  test.each(['marketplace-9.9.9.tgz', 'inputs', '..%2ftypescript%2fpackage.json', 'marketplace'])(
    'GET /clients/%s is 404',
    async (name) => {
      const answer = await at(`/clients/${name}`)
      expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([404, 'not_found'])
    },
  )

  test('that are not built are 404, which tells how they are', async () => {
    const { detail } = (await (await at('/clients/marketplace-9.9.9.tgz')).json()) as { detail: string }
    expect(detail).toContain('`./scripts/client --served` builds the packages')
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
        ...['/openapi.json', '/asyncapi.json', '/docs/errors.md', '/docs/guides.md'],
      ].map((path) => `${PUBLIC_URL}${path}`),
    )
    for (const link of links) expect((await at(new URL(link ?? '').pathname)).status).toBe(200)
    expect(await read('/docs/guides/getting-started.md')).toContain('\n## Clients and a command line\n')
  })

  test('/llms.txt names every operation, and each is Markdown at its id', async () => {
    const document = await documentAt('/openapi.json')
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => ({ method: method.toUpperCase(), path, operationId })),
    )
    expect(operations.length).toBeGreaterThan(150)
    const text = await read('/llms.txt')
    for (const { method, path, operationId } of operations) {
      expect(text).toContain(` ${operationId} (${method} ${path})`)
      const answer = await at(`/docs/api/${operationId}.md`)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
      const page = await answer.text()
      expect(page).toContain(`\n\`${method} ${PUBLIC_URL}${path}\` (\`${operationId}\`)\n`)
      expect(page).not.toMatch(/undefined|\[object|\$ref/)
    }
    for (const path of ['/docs/api/createPartz.md', '/docs/api/createPart', '/docs/api/constructor'])
      expect((await at(path)).status).toBe(404)
  })

  test('the page of an operation has permission, parameters, body, answer and errors', async () => {
    const page = await read('/docs/api/awardRfq.md')
    expect(page).toStartWith('# Award an RFQ\n')
    for (const text of [
      '\nNeeds the permission `rfq:award`.\n',
      '\n| `id` | path | string | yes | Id of the RFQ. | `"rfq_01JZ8Q4D3R1G5M7VJ0T6W2X9YB"` |\n',
      '\n| `Idempotency-Key` | header | string, 1 to 255 characters | no | Makes a retry safe',
      '\n## Body\n\n`application/json`\n\n',
      '\n| `awards[].quantity` | integer (int32), 1 to 1000000000 | yes | Number of pieces to order. |\n',
      '\n| `sellerOrgId` | string, 1 to 64 characters | no | Organization with the role SELLER',
      '\n## Answer 200\n',
      '\n| `awardedOfferIds` | array of string',
      '\n## Errors\n\nEvery code is explained at https://market.example.com/docs/errors.md.\n',
    ])
      expect(page).toContain(text)
    expect(page).toMatch(/\n- 409: .*`illegal_transition`/)
    const [, body = ''] = /## Body[\s\S]*?```json\n([\s\S]*?)```/.exec(page) ?? []
    const award = { offerId: 'offer_01JZ8Q4D3R1G5M7VJ0T6W2X9YB', quantity: 10 }
    expect(JSON.parse(body)).toMatchObject({ awards: [award] })
    expect(await read('/docs/api/listParts.md')).toContain('\nNeeds an access token, and no permission.\n')
    expect(await read('/docs/api/getOrder.md')).toContain('\nBeta: it can change incompatibly without notice.\n')
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

test('the guide to webhooks says for each event what causes it and who receives it', async () => {
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
