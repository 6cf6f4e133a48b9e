import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { marketplaceOf } from '../testing/marketplace.ts'
import { CATALOG_NAMES, type CatalogName } from './catalog.ts'
import { CATALOGS } from './catalogs.ts'

const market = await marketplaceOf(['catalog'])
const { administrator } = await market.organization(['CONSUMER'])
const { client } = administrator

type Entry = Record<string, unknown>
interface List {
  items: Entry[]
  hasMore?: boolean
}
interface Refused {
  code: string
  errors?: { field: string; message?: string }[]
}

const PAGED: readonly CatalogName[] = ['categories', 'materials', 'technologies', 'unspsc-categories']
const UNPAGED = CATALOG_NAMES.filter((name) => !PAGED.includes(name))
const keyOf = (name: CatalogName) => CATALOGS[name].key
const batchField = (name: CatalogName) => (keyOf(name) === 'id' ? 'ids' : 'codes')
const first = async (name: CatalogName) => (await client.get<List>(`/v1/${name}`)).body.items
const keysOf = async (name: CatalogName) => (await first(name)).map((item) => String(item[keyOf(name)]))
const batch = (name: CatalogName, body: unknown) => client.post<List & Refused>(`/v1/${name}:batch-get`, body)

describe.each(CATALOG_NAMES)('%s', (name) => {
  test('a list returns entries that match the schema', async () => {
    const shape = TypeCompiler.Compile(CATALOGS[name].item)
    const items = await first(name)
    expect(items.length).toBeGreaterThan(0)
    expect(items.every((item) => shape.Check(item))).toBe(true)
  })

  test('a get returns the entry as in the list', async () => {
    const [item] = await first(name)
    const answer = await client.get(`/v1/${name}/${item?.[keyOf(name)]}`)
    expect([answer.status, answer.body]).toEqual([200, item as Entry])
  })

  test('an unknown key is 404, and a malformed key the same 404', async () => {
    const missing = async (key: string) => {
      const { status, body } = await client.get(`/v1/${name}/${key}`)
      return { ...body, status, requestId: '', instance: '' }
    }
    const unknown = await missing('unknown')
    expect(unknown.status).toBe(404)
    for (const key of ['a%2Fb', '%25', 'x'.repeat(65), 'a%20b', '%C3%B8', '__proto__', 'constructor']) {
      expect(await missing(key)).toEqual(unknown)
    }
  })

  test('a key in another case is 404', async () => {
    const key = (await keysOf(name)).find((key) => /[a-z]/.test(key))
    if (key !== undefined) expect((await client.get(`/v1/${name}/${key.toUpperCase()}`)).status).toBe(404)
    expect((await client.get(`/v1/${name}/`)).status).toBe(404)
  })

  test('lists and gets have a strong ETag and are 304 with it', async () => {
    const [key] = await keysOf(name)
    for (const path of [`/v1/${name}`, `/v1/${name}/${key}`]) {
      const etag = (await client.get(path)).headers.get('etag') ?? ''
      expect(etag).toMatch(/^"[^"]+"$/)
      const again = await client.get(path, { headers: { 'if-none-match': etag } })
      expect([again.status, again.text]).toEqual([304, ''])
      expect((await client.get(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
    }
  })

  test('without a token every operation is 401', async () => {
    const { anonymous } = market
    for (const answer of [
      await anonymous.get(`/v1/${name}`),
      await anonymous.get(`/v1/${name}/unknown`),
      await anonymous.post(`/v1/${name}:batch-get`, { [batchField(name)]: ['x'] }),
    ]) {
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    }
  })

  test('writing methods are 405', async () => {
    const [key] = await keysOf(name)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect((await client.send(method, `/v1/${name}`)).status).toBe(405)
      expect((await client.send(method, `/v1/${name}/${key}`)).status).toBe(405)
    }
  })

  test('HEAD returns the headers of GET without the body', async () => {
    const { status, text, headers } = await client.send('HEAD', `/v1/${name}`)
    expect([status, text, headers.get('content-type')]).toEqual([200, '', 'application/json'])
  })

  test('a path that only starts like the catalog is 404', async () => {
    expect((await client.get(`/v1/${name}X`)).status).toBe(404)
    expect((await client.post(`/v1/${name}:batch`, {})).status).toBe(404)
  })
})

describe.each(CATALOG_NAMES)('batch get of %s', (name) => {
  test('returns the requested order', async () => {
    const wanted = (await keysOf(name)).slice(0, 5).reverse()
    const { status, body } = await batch(name, { [batchField(name)]: wanted })
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['items'])
    expect(body.items.map((item) => String(item[keyOf(name)]))).toEqual(wanted)
  })

  test('returns repeated keys once and omits unknown ones', async () => {
    const [one, two] = (await keysOf(name)) as [string, string]
    const { body } = await batch(name, { [batchField(name)]: [two, 'unknown', one, two, '', 'a/b', '__proto__'] })
    expect(body.items.map((item) => String(item[keyOf(name)]))).toEqual([two, one])
  })

  test('accepts 1 to 100 strings; anything else is 400', async () => {
    const field = batchField(name)
    const many = (count: number) => Array.from({ length: count }, (_, index) => `none-${index}`)
    expect((await batch(name, { [field]: many(100) })).body).toEqual({ items: [] } as never)
    const other = field === 'ids' ? 'codes' : 'ids'
    for (const body of [
      ...[{ [field]: [] }, { [field]: many(101) }, { [field]: 'x' }, { [field]: [1] }, { [field]: null }, {}, []],
      ...[{ [other]: ['x'] }, { [field]: ['x'], more: 1 }],
    ]) {
      const answer = await batch(name, body)
      expect([answer.status, answer.body.code]).toEqual([400, 'validation_error'])
    }
  })

  test('accepts a percent-encoded colon', async () => {
    expect((await client.post(`/v1/${name}%3Abatch-get`, { [batchField(name)]: ['unknown'] })).body).toEqual({
      items: [],
    })
  })
})

describe.each(PAGED)('pages of %s', (name) => {
  const list = (query: string) => client.get<List & Refused>(`/v1/${name}?${query}`)

  test('default to the first ten entries', async () => {
    const { body } = await list('')
    expect(Object.keys(body)).toEqual(['items', 'hasMore'])
    expect([body.items.length, body.hasMore]).toEqual([10, true])
    expect((await list('page=1&pageSize=10')).body).toEqual(body)
  })

  test('together are the list, and hasMore is false only on the last page', async () => {
    const whole = (await client.get<List>(`/v1/${name}?pageSize=50`)).body.items
    const keys = (items: Entry[]) => items.map((item) => item[keyOf(name)])
    const found: unknown[] = []
    for (let page = 1; page <= 6; page += 1) {
      const { body } = await list(`page=${page}&pageSize=7`)
      found.push(...keys(body.items))
      if (!body.hasMore) break
    }
    expect(found).toEqual(keys(whole).slice(0, found.length))
    expect(new Set(found).size).toBe(found.length)
  })

  test('past the end of the list are empty', async () => {
    for (const query of ['page=2147483647&pageSize=50', 'page=1000000&pageSize=1']) {
      expect((await list(query)).body).toEqual({ items: [], hasMore: false } as never)
    }
  })

  test.each(['page', 'pageSize'])('with an invalid %s are 400', async (field) => {
    const wrong = ['0', '-1', '1.0', '0x1', '1e1', '', 'a', '%201', '9007199254740993', `1&${field}=1`]
    wrong.push(field === 'page' ? '2147483648' : '51')
    for (const value of wrong) {
      const { status, body } = await list(`${field}=${value}`)
      expect([value, status, body.errors?.[0]?.field]).toEqual([value, 400, field])
    }
    expect((await list(`${field}=50`)).status).toBe(200)
  })

  test('refuse unknown parameters', async () => {
    const { status, body } = await list('limit=5')
    const message = 'is not a parameter of this request. Probably meant: pageSize'
    expect([status, body.errors]).toEqual([400, [{ field: 'limit', message }]])
  })
})

test.each(UNPAGED)('%s are listed completely, without pagination', async (name) => {
  const { body } = await client.get<List>(`/v1/${name}`)
  expect(Object.keys(body)).toEqual(['items'])
  expect((await client.get(`/v1/${name}?page=1`)).status).toBe(400)
  expect(body.items.length).toBeGreaterThanOrEqual(20)
})
