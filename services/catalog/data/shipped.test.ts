import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { MATERIAL_TYPES, PROCESS_FAMILIES, PRODUCTION_PROCESS_TYPES } from '../../../proto/http/catalog/enums.ts'
import type { Material } from '../../../proto/http/catalog/materials.ts'
import type { Process } from '../../../proto/http/catalog/processes.ts'
import type { Standard } from '../../../proto/http/catalog/standards.ts'
import type { Technology } from '../../../proto/http/catalog/technologies.ts'
import { PATH_ID } from '../../../proto/http/shapes.ts'
import { connect } from '../../kit/db/client.ts'
import { testDatabase } from '../../testing/database.ts'
import { CATALOG_NAMES, type CatalogName } from '../catalog.ts'
import { CATALOGS } from '../catalogs.ts'
import { loadContents } from '../memory/load.ts'

const { urlOf } = await testDatabase()
const sql = connect(urlOf('catalog'), { max: 1, applicationName: 'test-catalog' })

async function itemsOf<T = Record<string, unknown>>(name: CatalogName): Promise<T[]> {
  const contents = await loadContents<string>(sql, CATALOGS[name])
  const { text } = contents.list({}, undefined, { offset: 0, limit: contents.size })
  return JSON.parse(`[${text}]`)
}

test.each(CATALOG_NAMES)('each entry of %s matches the schema and has a key that fits into a path', async (name) => {
  const { item, key } = CATALOGS[name]
  const shape = TypeCompiler.Compile(item)
  const items = await itemsOf(name)
  expect(items.filter((entry) => !shape.Check(entry) || !PATH_ID.test(String(entry[key])))).toEqual([])
  expect(new Set(items.map((entry) => entry[key])).size).toBe(items.length)
})

test.each(CATALOG_NAMES)('%s is ordered by code, or by id without one', async (name) => {
  const items = await itemsOf<{ id?: string; code?: string }>(name)
  const order = items.map(({ id, code }) => code ?? id ?? '')
  expect(order).toEqual([...order].sort((a, b) => (a < b ? -1 : 1)))
})

describe('the shipped content', () => {
  test('every technology is used by a process', async () => {
    const used = new Set((await itemsOf<Process>('processes')).flatMap(({ technologyIds }) => technologyIds))
    expect((await itemsOf<Technology>('technologies')).filter(({ id }) => !used.has(id))).toEqual([])
  })

  test('each production process type and each process family of ISO/ASTM 52900 has a technology', async () => {
    const technologies = await itemsOf<Technology>('technologies')
    expect([...new Set(technologies.map((t) => t.productionProcessType))].sort()).toEqual([...PRODUCTION_PROCESS_TYPES])
    const families = new Set(technologies.flatMap(({ processFamily }) => processFamily ?? []))
    expect([...families].sort()).toEqual([...PROCESS_FAMILIES])
  })

  test('there are materials of every type except "other"', async () => {
    const types = new Set<string>((await itemsOf<Material>('materials')).map(({ type }) => type))
    expect(MATERIAL_TYPES.filter((type) => !types.has(type))).toEqual(['other'])
  })

  test('a standard for one material type is referenced only by materials of that type', async () => {
    const standards = new Map((await itemsOf<Standard>('standards')).map((standard) => [standard.code, standard]))
    const wrong = (await itemsOf<Material>('materials')).filter(({ type, standardCodes }) =>
      standardCodes.some((code) => (standards.get(code)?.materialType ?? type) !== type),
    )
    expect(wrong).toEqual([])
  })

  test('EN 10204 has one entry for each type of certificate', async () => {
    const codes = (await itemsOf<Standard>('standards')).map(({ code }) => code)
    expect(codes.filter((code) => code.startsWith('en-10204'))).toEqual(['en-10204-3.1', 'en-10204-3.2'])
  })

  test('the ranks of each criticality scheme start at 1 without gaps', async () => {
    const ranks = Map.groupBy(await itemsOf<{ id: string; rank: number }>('criticalities'), ({ id }) =>
      id.slice(0, id.lastIndexOf('-')),
    )
    for (const levels of ranks.values()) {
      expect(levels.map(({ rank }) => rank).sort()).toEqual(levels.map((_, index) => index + 1))
    }
    const rankOf = (id: string) => [...ranks.values()].flat().find((level) => level.id === id)?.rank
    expect(['api-20s-amsl-3', 'dnv-st-b203-amc-3', 'astm-f3572-a', 'astm-f3674-a', 'nasa-6030-a'].map(rankOf)).toEqual([
      3, 3, 4, 4, 3,
    ])
  })
})
