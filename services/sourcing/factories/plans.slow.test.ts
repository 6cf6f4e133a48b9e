import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Factory } from '../../../proto/http/sourcing/factories.ts'
import { connect, type Sql } from '../../kit/db/client.ts'
import type { PageWindow } from '../../kit/pagination/pagination.ts'
import { testDatabase } from '../../testing/database.ts'
import { loadFactories } from '../../testing/load/factories.ts'
import { planOf, workOf } from '../../testing/query-plans.ts'
import { readsOn } from '../../testing/reads.ts'
import { territoriesOf } from '../regions/regions.ts'
import { findPage } from './list.ts'
import type { Filters, Source } from './list-filters.ts'
import { findSourcingTerms, scanFactories } from './list-queries.ts'
import { findFactories, findFactory } from './queries.ts'

setDefaultTimeout(120_000)
const [FACTORIES, ORGANIZATIONS] = [10_000, 100]
const db = await testDatabase()
await loadFactories(db.owner, { count: FACTORIES, organizations: ORGANIZATIONS })
const url = db.urlOf('sourcing')
const sql = connect(url, { max: 2, applicationName: 'test' })
db.beforeDrop(() => sql.end({ timeout: 1 }))

const page = { limit: 11, offset: 0, after: undefined }
const SOURCES: Source[] = [
  { kind: 'public' },
  { kind: 'released', orgId: 'org_engaged', distributorOrgId: 'org_distributor' },
  { kind: 'own', orgId: 'org_7' },
]
const factoriesBy = (on: Sql, source: Source, filters: Filters, window: PageWindow) => {
  const reads = readsOn(on)
  return findPage(reads, reads.read, source, filters, window)
}
/** Matches of a filter that are compared. */
const COMPARED = 1020
const metals = ['316l', 'in718', 'gjs-400', '6061', 'cocr']

/** Every filter alone, common, rare and without a match, and combinations. */
const FILTERS: Filters[] = [
  {},
  { q: 'foundry' },
  { q: 'manufacturer 19' },
  { q: '77a7' },
  { q: 'no factory' },
  { q: 'qx' },
  { q: '@@@' },
  { orgId: 'org_7' },
  { orgId: 'org_unknown' },
  { territories: ['NO'] },
  { territories: territoriesOf('150') },
  { territories: ['IS'] },
  { territories: ['DK'] },
  { locality: 'BER' },
  { locality: 'Reyk' },
  { locality: 'Nowhere' },
  { materialCode: '316l' },
  { materialCode: 'zro2' },
  { materialCode: 'unknown' },
  { standardCode: 'iso-9001' },
  { standardCode: 'as9100' },
  { criticalityCode: 'api-20s-amsl-2' },
  { criticalityCode: 'nasa-6030-a' },
  { processType: 'cnc' },
  { processType: 'rapid_casting' },
  { part: { materialCodes: ['316l'], technologyIds: ['pbf-lb-m', 'pbf-eb-m'] } },
  { part: { materialCodes: ['316l'], technologyIds: [] } },
  { part: { materialCodes: ['zro2'], technologyIds: ['vpp'] } },
  { part: { materialCodes: ['316l'], technologyIds: ['vc'] } },
  { part: { materialCodes: metals, technologyIds: ['vc'] } },
  { part: { materialCodes: metals, technologyIds: ['turn', 'swiss'] }, materialCode: '6061' },
  { materialCode: '316l', processType: 'cnc', standardCode: 'iso-9001', criticalityCode: 'api-20s-amsl-2' },
  { materialCode: '316l', territories: ['IS'] },
  { processType: 'rapid_casting', territories: ['IS'], locality: 'r' },
  { q: 'foundry', territories: ['SG'], materialCode: 'in718', processType: 'additive_manufacturing' },
]
const named = FILTERS.map((filters) => [JSON.stringify(filters), filters] as const)

describe(`over ${FACTORIES} factories with ten capabilities each, no list reads a whole table`, () => {
  test.each(named)('%s', async (_, filters) => {
    for (const source of SOURCES) {
      for (const offset of source.kind === 'public' ? [0, 2500] : [0]) {
        const { scannedWhole, busiest } = await workOf(url, (tx) =>
          factoriesBy(tx, source, filters, { ...page, offset }),
        )
        expect([source.kind, offset, busiest, scannedWhole]).toEqual([source.kind, offset, busiest, []])
      }
    }
  })

  test('a rare value is found without a scan of the list', async () => {
    for (const filters of FILTERS.filter(({ materialCode, standardCode }) =>
      ['zro2', 'as9100'].includes(materialCode ?? standardCode ?? ''),
    )) {
      const { mostRows, busiest } = await workOf(url, (tx) => factoriesBy(tx, { kind: 'public' }, filters, page))
      expect([busiest, mostRows < 15_000]).toEqual([busiest, true])
    }
  })

  test('single factories are found by their primary key', async () => {
    const views = { consumer: true, distributor: true }
    for (const plan of [
      await planOf(url, (tx) => findFactory(tx, 'org_7', views, 'factory_1')),
      await planOf(url, (tx) => findFactories(tx, 'org_7', views, ['factory_1'])),
      await planOf(url, (tx) => findSourcingTerms(tx, 'org_7', 'part_1')),
    ]) {
      expect(plan.scannedWhole.filter((table) => /^(factor|parts)/.test(table))).toEqual([])
    }
  })
})

describe('each strategy finds the page that a scan of all factories finds', () => {
  test.each(named)('%s', async (_, filters) => {
    for (const source of SOURCES) {
      const all = await scanFactories(sql, source, filters, { ...page, limit: COMPARED })
      const last = all.length < COMPARED ? [all.length - 5, all.length] : []
      for (const offset of [0, 1005, ...last].filter((number) => number >= 0 && number <= all.length)) {
        for (const window of [
          { ...page, offset },
          { ...page, after: all[offset - 1]?.position },
        ]) {
          const found = await factoriesBy(sql, source, filters, window)
          expect(found.map(({ position }) => position)).toEqual(
            all.slice(offset, offset + page.limit).map(({ position }) => position),
          )
        }
      }
    }
  })

  test('the filters of this test are common, rare and without a match', async () => {
    const counts = await Array.fromAsync(
      FILTERS,
      async (filters) => (await factoriesBy(sql, { kind: 'public' }, filters, { ...page, limit: 1000 })).length,
    )
    expect(counts.filter((count) => count === 1000).length).toBeGreaterThan(5)
    expect(counts.filter((count) => count > 0 && count < 500).length).toBeGreaterThan(5)
    expect(counts.filter((count) => count === 0).length).toBeGreaterThan(3)
  })
})

test('the lists are ordered by name and id', async () => {
  for (const source of SOURCES) {
    const rows = await scanFactories(sql, source, {}, { ...page, limit: 20_000 })
    const names = rows.map(({ document }) => (JSON.parse(document) as Factory).name)
    expect(names).toEqual(names.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)))
  }
})

test('every stored document is a factory with its ten capabilities', async () => {
  const isFactory = TypeCompiler.Compile(Factory)
  const rows = await db.owner<{ document: string }[]>`select document from sourcing.factories order by id limit 2000`
  for (const { document } of rows) {
    const factory: Factory = JSON.parse(document)
    expect([isFactory.Check(factory), factory.capabilities.length]).toEqual([true, 10])
  }
})
