import { describe, expect, test } from 'bun:test'
import type { UnspscCategory } from '../../../proto/http/catalog/unspsc-categories.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['catalog'])
const { administrator } = await market.organization(['CONSUMER'])
const { client } = administrator

interface Answer {
  items: UnspscCategory[]
  hasMore: boolean
  errors?: { field: string }[]
}
const list = (query: string) => client.get<Answer>(`/v1/unspsc-categories?pageSize=50&${query}`)
const idsOf = async (query: string) => (await list(query)).body.items.map(({ id }) => id)

async function allOf(query: string): Promise<string[]> {
  const ids: string[] = []
  for (let page = 1; ; page += 1) {
    const { items, hasMore } = (await list(`${query}&page=${page}`)).body
    ids.push(...items.map(({ id }) => id))
    if (!hasMore) return ids
  }
}

const countOf = async (query: string) => (await allOf(query)).length

const countOfSegment = async (digits: string) => {
  const ids = (await Promise.all([1, 2, 3, 4].map(async (level) => allOf(`level=${level}`)))).flat()
  return ids.filter((id) => id.startsWith(digits)).length
}

describe('level', () => {
  test.each([
    [1, 35],
    [2, 172],
    [3, 830],
    [4, 4262],
  ])('%d returns the categories of that level', async (level, count) => {
    expect(await countOf(`level=${level}`)).toBe(count)
    expect((await list(`level=${level}`)).body.items.every((item) => item.level === level)).toBe(true)
  })

  test('with an unknown value returns nothing', async () => {
    for (const level of ['0', '5', '-1', '2147483647', '-2147483648']) {
      const { status, body } = await list(`level=${level}`)
      expect([level, status, body.items]).toEqual([level, 200, []])
    }
  })

  test('that is not an int32 is 400', async () => {
    for (const level of ['1.0', '0x1', '1e0', '', 'commodity', '2147483648', '-2147483649', '1&level=1']) {
      const { status, body } = await list(`level=${level}`)
      expect([level, status, body.errors?.[0]?.field]).toEqual([level, 400, 'level'])
    }
  })
})

describe('search', () => {
  test('matches a case-insensitive substring of the label', async () => {
    expect(await idsOf('search=EYE%20bolt')).toEqual(['31161610'])
  })

  test('matches the numbers and titles of the category and its ancestors', async () => {
    const below = await idsOf('search=31160000')
    expect(below[0]).toBe('31160000')
    expect(below.every((id) => id.startsWith('3116'))).toBe(true)
    expect(await idsOf('search=hardware&level=2')).toContain('31160000')
    expect(await idsOf('search=bolts')).toEqual(expect.arrayContaining(await idsOf('search=31161600')))
    expect(await countOf('search=31000000')).toBe(await countOfSegment('31'))
  })

  test('matches no other fields and does not span two texts', async () => {
    expect(await idsOf('search=Hardware31161600')).toEqual([])
    expect(await idsOf('search=segmentTitle')).toEqual([])
  })

  test('combines with level', async () => {
    const classes = await idsOf('search=Hardware&level=3')
    expect(classes.length).toBeGreaterThan(0)
    expect(classes.every((id) => id.endsWith('00') && !id.endsWith('0000'))).toBe(true)
    expect(await idsOf('search=Hardware&level=9')).toEqual([])
  })

  test('with an empty value is ignored', async () => {
    expect(await idsOf('search=')).toEqual(await idsOf(''))
  })
})

test('a category has the numbers and titles of its own level and its ancestors only', async () => {
  const get = async (id: string) => (await client.get(`/v1/unspsc-categories/${id}`)).body
  const segment = { segmentNumber: '31000000', segmentTitle: 'Manufacturing Components and Supplies' }
  const family = { familyNumber: '31160000', familyTitle: 'Hardware' }
  const bolts = { classNumber: '31161600', classTitle: 'Bolts' }
  const eyeBolts = { commodityNumber: '31161610', commodityTitle: 'Eye bolts' }
  expect(await get('31000000')).toEqual({ id: '31000000', level: 1, label: segment.segmentTitle, ...segment })
  expect(await get('31160000')).toEqual({ id: '31160000', level: 2, label: 'Hardware', ...segment, ...family })
  expect(await get('31161600')).toEqual({ id: '31161600', level: 3, label: 'Bolts', ...segment, ...family, ...bolts })
  expect(await get('31161610')).toEqual({
    ...{ id: '31161610', level: 4, label: 'Eye bolts' },
    ...{ ...segment, ...family, ...bolts, ...eyeBolts },
  })
})

test('categories are ordered by id', async () => {
  const ids = await idsOf('page=3')
  expect(ids).toEqual([...ids].sort())
})
