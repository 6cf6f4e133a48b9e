import { describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import openapi from '../../../proto/openapi/marketplace.json' with { type: 'json' }
import { listedPackages, lockedPackages } from '../../../scripts/toolchain/reference-packages.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { documentForPage } from './documentation/document.js'

/** What the tests read of an operation. */
interface ShownOperation {
  parameters?: { required?: boolean; example?: unknown; schema: { default?: unknown; enum?: unknown } }[]
  'x-codeSamples': [{ label: string; source: string }, { label: string; source: string }]
}

const market = await marketplaceOf([])
const MAX_WIRE_BYTES = 1_000_000
const STATIC_IMPORT = /(?:^|[;}])import(?:[^'"()`]*?from)?[`"']\.\/((?:chunks\/)?[\w.-]+\.js)[`"']/g

const get = (path: string, encoding: string) =>
  fetch(`${market.url}${path}`, { headers: { 'accept-encoding': encoding }, decompress: false })
const bytesOf = async (path: string, encoding = 'br') => (await (await get(path, encoding)).bytes()).byteLength

describe('the API reference', () => {
  test('loads less than a megabyte', async () => {
    let total = 0
    for (const path of [
      '/docs/api',
      ...['site.css', 'site.js', 'search.js', 'reference.css', 'reference.js', 'document.js', 'session.js'].map(
        (name) => `/docs/${name}`,
      ),
    ]) {
      total += await bytesOf(path)
    }
    total += await bytesOf('/docs/openapi.json')
    const modules = new Set(['standalone.esm.js'])
    for (const name of modules) {
      const path = `/docs/reference/${name}`
      total += await bytesOf(path)
      const source = await (await get(path, 'identity')).text()
      for (const [, imported = ''] of source.matchAll(STATIC_IMPORT)) {
        modules.add(name.startsWith('chunks/') ? `chunks/${imported}` : imported)
      }
    }
    expect(modules.size).toBeGreaterThan(3)
    expect(total).toBeLessThan(MAX_WIRE_BYTES)
  }, 60_000)

  test.each([
    ['br', 'br'],
    ['gzip, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', null],
  ])('Accept-Encoding %s: the encoding is %p', async (accepted, encoding) => {
    const { headers } = await get('/docs/site.js', accepted)
    expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([encoding, 'Accept-Encoding'])
  })

  test('a chunk whose name is longer than an id is served', async () => {
    const chunks = await readdir(join(import.meta.dir, '..', '..', '..', 'node_modules', '.api-reference', 'chunks'))
    const longest = chunks.reduce((one, other) => (other.length > one.length ? other : one))
    expect(longest.length).toBeGreaterThan(64)
    expect((await get(`/docs/reference/chunks/${longest}`, 'br')).status).toBe(200)
  })

  test('the licences of what its modules contain are served as text, with those of its locked packages', async () => {
    const response = await get('/docs/reference/LICENCES.txt', 'identity')
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    const text = await response.text()
    expect(text).toContain('Copyright (c) 2023-present Scalar')
    const listed = listedPackages(text).map(({ name, version }) => `${name}@${version}`)
    const locked = (await lockedPackages()).map(({ id }) => id)
    expect(locked.length).toBeGreaterThan(200)
    expect(listed.sort()).toEqual(locked.sort())
  })

  test('a module that does not exist is 404', async () => {
    for (const path of ['/docs/reference/x.js', '/docs/reference/chunks/x.js', '/docs/reference/version']) {
      expect((await get(path, 'br')).status).toBe(404)
    }
  })
})

describe('the document of the page', () => {
  const shown = documentForPage(openapi, 'https://api.example.com')
  const operations = Object.values(shown.paths).flatMap((item) => Object.values(item as Record<string, ShownOperation>))

  test('has samples in TypeScript and Python for each operation', () => {
    expect(operations.length).toBeGreaterThan(60)
    const transpiler = new Bun.Transpiler({ loader: 'ts' })
    for (const operation of operations) {
      const [typescript, python] = operation['x-codeSamples']
      expect([typescript.label, python.label]).toEqual(['TypeScript', 'Python'])
      expect(transpiler.transformSync(typescript.source)).toContain('await fetch(')
      expect(python.source).toStartWith('import requests\n')
    }
  })

  test('sends optional parameters only when they are filled in', () => {
    for (const { parameters = [] } of operations) {
      for (const { required, example, schema } of parameters) {
        if (required) continue
        expect([example, schema.default, schema.enum]).toEqual([undefined, undefined, undefined])
      }
    }
  })

  test('sends the token where an operation takes one', () => {
    for (const { source } of shown.paths['/v1/parts'].get['x-codeSamples']) expect(source).toContain('Bearer')
    for (const { source } of shown.paths['/v2.3/oauth/token'].post['x-codeSamples'])
      expect(source).not.toContain('Bearer')
  })

  test('sends a form of OAuth as a form, with the key of a service account and without a token', () => {
    const [typescript, python] = shown.paths['/flows/v1/oauth/token'].post['x-codeSamples']
    expect(typescript.source).toContain('body: new URLSearchParams({\n    "grant_type": "client_credentials",')
    expect(python.source).toContain('data={\n        "grant_type": "client_credentials",')
    for (const { source } of [typescript, python]) expect(source).not.toContain('Bearer')
  })

  test('fills a body with the required fields', () => {
    const example = (path: string) => shown.paths[path].post.requestBody.content['application/json'].example
    expect(example('/v1/uploads')).toEqual({ name: expect.any(String) })
    expect(Object.keys(example('/v1/parts'))).toHaveLength(1)
  })

  test('leaves the public document unchanged', () => {
    expect(JSON.stringify(openapi)).not.toContain('x-codeSamples')
  })
})
