import { describe, expect, test } from 'bun:test'
import type { Category } from '../../../proto/http/catalog/categories.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['catalog'])
const { administrator } = await market.organization(['CONSUMER'])
const { client } = administrator

interface Answer {
  items: Category[]
  hasMore: boolean
  code?: string
  errors?: { field: string }[]
}
const list = (query: string) => client.get<Answer>(`/v1/categories?pageSize=50&${query}`)
const idsOf = async (query: string) => (await list(query)).body.items.map(({ id }) => id)

describe('topLevel', () => {
  test('returns the categories without a parent', async () => {
    const { items } = (await list('topLevel=true')).body
    expect(items.map(({ id }) => id)).toEqual(['iso-14224', 'sfi'])
    expect(items.some((item) => 'parentId' in item)).toBe(false)
  })

  test('false is ignored', async () => {
    expect((await list('topLevel=false')).body).toEqual((await list('')).body)
  })

  test('with any value other than true and false is 400', async () => {
    for (const value of ['1', 'True', 'yes', '', 'true&topLevel=true']) {
      expect((await list(`topLevel=${value}`)).status).toBe(400)
    }
  })
})

describe('parentId', () => {
  test('returns the direct children ordered by code', async () => {
    expect(await idsOf('parentId=sfi')).toEqual(['1', '2', '3', '4', '5', '6', '7', '8'].map((code) => `sfi-${code}`))
    expect(await idsOf('parentId=sfi-6')).toEqual(['sfi-60'])
    expect(await idsOf('parentId=sfi-60')).toEqual(['sfi-601'])
  })

  test('of a leaf, an unknown category or another case returns nothing', async () => {
    for (const id of ['sfi-601001', 'unknown', '', 'SFI', 'null', 'undefined'])
      expect(await idsOf(`parentId=${id}`)).toEqual([])
  })

  test.each(['true', 'false'])('together with topLevel=%s is 400', async (topLevel) => {
    for (const parentId of ['sfi', 'unknown', '']) {
      const { status, body } = await list(`topLevel=${topLevel}&parentId=${parentId}`)
      expect([status, body.code, body.errors?.map(({ field }) => field)]).toEqual([
        400,
        'validation_error',
        ['topLevel', 'parentId'],
      ])
    }
  })
})

describe('search', () => {
  test('matches a case-insensitive substring of the name', async () => {
    expect(await idsOf('search=PUMPS')).toContain('iso-14224-pu')
    expect(await idsOf('search=ump')).toContain('iso-14224-pu')
  })

  test('matches a substring of the description', async () => {
    expect(await idsOf('search=screw, blower')).toEqual(['iso-14224-co'])
  })

  test('does not match ids and codes', async () => {
    expect(await idsOf('search=iso-14224-pu')).toEqual([])
    expect(await idsOf('search=601001')).toEqual([])
  })

  test('combines with parentId and topLevel', async () => {
    expect(await idsOf('search=engine')).toEqual(['sfi-6', 'sfi-60', 'sfi-601', 'sfi-601001', 'iso-14224-ce'])
    expect(await idsOf('search=engine&parentId=iso-14224-rotating')).toEqual(['iso-14224-ce'])
    expect(await idsOf('search=engine&topLevel=true')).toEqual([])
    expect(await idsOf('search=equipment&topLevel=true')).toEqual(['iso-14224', 'sfi'])
  })

  test('with an empty value is ignored', async () => {
    expect((await list('search=')).body).toEqual((await list('')).body)
    expect(await idsOf('search=&parentId=sfi-6')).toEqual(['sfi-60'])
  })

  test('matches wildcards literally', async () => {
    for (const search of ['%25', '_', '%5C', 'p_mps', 'p%25s']) expect(await idsOf(`search=${search}`)).toEqual([])
  })

  test('over 200 characters, repeated, with invalid UTF-8 or NUL is 400', async () => {
    for (const search of ['x'.repeat(201), 'a&search=b', '%ff', '%00']) {
      expect((await list(`search=${search}`)).status).toBe(400)
    }
  })
})

test('hasChildren is true for categories with children', async () => {
  const { items } = (await list('')).body
  const parents = new Set(items.map(({ parentId }) => parentId))
  for (const { id, hasChildren } of items) expect([id, hasChildren]).toEqual([id, parents.has(id)])
})

test('optional fields without a value are omitted', async () => {
  expect((await client.get('/v1/categories/iso-14224-rotating')).body).toEqual({
    id: 'iso-14224-rotating',
    name: 'Rotating',
    description: 'Machines that turn: drivers, compressors, pumps and generators.',
    parentId: 'iso-14224',
    hasChildren: true,
  })
})
