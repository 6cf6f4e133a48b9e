import { describe, expect, test } from 'bun:test'
import type { Technology } from '../../../proto/http/catalog/technologies.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['catalog'])
const { administrator } = await market.organization(['CONSUMER'])
const { client } = administrator

const list = async (query: string) =>
  (await client.get<{ items: Technology[] }>(`/v1/technologies?pageSize=50&${query}`)).body.items
const idsOf = async (query: string) => (await list(query)).map(({ id }) => id)

describe('productionProcessType', () => {
  test.each([
    ['additive_manufacturing', 13],
    ['cnc', 8],
    ['rapid_casting', 5],
  ] as const)('%s returns the technologies of that type', async (type, count) => {
    const items = await list(`productionProcessType=${type}`)
    expect(items.length).toBe(count)
    expect(items.every(({ productionProcessType }) => productionProcessType === type)).toBe(true)
  })

  test('with an unknown value returns nothing', async () => {
    for (const type of ['forging', 'CNC', 'cnc%20', ''])
      expect(await idsOf(`productionProcessType=${type}`)).toEqual([])
  })
})

describe('search', () => {
  test('matches a case-insensitive substring of the label, the code or an acronym', async () => {
    expect(await idsOf('search=wire%20arc')).toEqual(['ded-arc'])
    expect(await idsOf('search=pbf-lb')).toEqual(['pbf-lb-m', 'pbf-lb-p'])
    expect(await idsOf('search=Dmls')).toEqual(['pbf-lb-m'])
    expect(await idsOf('search=polyjet')).toEqual(['mjt'])
  })

  test('does not match other fields', async () => {
    for (const search of ['additive_manufacturing', 'ded-lbx', 'LPBFSLM', 'LPBF;SLM']) {
      expect(await idsOf(`search=${search}`)).toEqual([])
    }
  })

  test('combines with productionProcessType', async () => {
    expect(await idsOf('search=milling')).toEqual(['mill-3', 'mill-5'])
    expect(await idsOf('search=milling&productionProcessType=cnc')).toEqual(['mill-3', 'mill-5'])
    expect(await idsOf('search=milling&productionProcessType=rapid_casting')).toEqual([])
  })

  test('with an empty value is ignored', async () => {
    expect(await idsOf('search=')).toEqual(await idsOf(''))
  })
})

test('technologies are ordered by code', async () => {
  const codes = (await list('')).map(({ code }) => code)
  expect(codes.slice(0, 4)).toEqual(['BJT/M', 'CSAM', 'DED-Arc', 'DED-LB'])
  expect(codes).toEqual([...codes].sort((a, b) => (a < b ? -1 : 1)))
})

test('processFamily without a value is omitted', async () => {
  expect((await client.get('/v1/technologies/csam')).body).toEqual({
    id: 'csam',
    code: 'CSAM',
    label: 'Cold spray additive manufacturing',
    acronyms: [],
    productionProcessType: 'additive_manufacturing',
  })
})
