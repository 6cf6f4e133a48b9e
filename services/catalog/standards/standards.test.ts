import { expect, test } from 'bun:test'
import type { Standard } from '../../../proto/http/catalog/standards.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'

const market = await marketplaceOf(['catalog'])
const { administrator } = await market.organization(['CONSUMER'])
const { client } = administrator

const codesOf = async (query: string) =>
  (await client.get<{ items: Standard[] }>(`/v1/standards?${query}`)).body.items.map(({ code }) => code)

test('governingBody returns the standards of that body', async () => {
  expect(await codesOf('governingBody=ISO/ASTM')).toEqual(['iso-astm-52901', 'iso-astm-52904', 'iso-astm-52920'])
  expect(await codesOf('governingBody=IAQG%2FSAE')).toEqual(['as9100'])
})

test('materialType returns the standards for that material type, without general ones', async () => {
  expect(await codesOf('materialType=polymer')).toEqual(['api-std-20t'])
  expect(await codesOf('materialType=metal')).not.toContain('iso-9001')
})

test('the two filters combine', async () => {
  expect(await codesOf('governingBody=API&materialType=metal')).toEqual(['api-std-20s'])
  expect(await codesOf('governingBody=ISO&materialType=metal')).toEqual([])
})

test('an unknown filter value, also in another case, returns nothing', async () => {
  for (const query of [
    'governingBody=iso',
    'governingBody=',
    'materialType=Metal',
    'materialType=',
    'governingBody=%25',
  ]) {
    expect(await codesOf(query)).toEqual([])
  }
})

test('materialType and edition without a value are omitted', async () => {
  const get = async (code: string) => Object.keys((await client.get(`/v1/standards/${code}`)).body)
  expect(await get('dnv-st-b203')).toEqual(['code', 'title', 'governingBody', 'materialType'])
  expect(await get('iso-9001')).toEqual(['code', 'title', 'governingBody', 'edition'])
})
