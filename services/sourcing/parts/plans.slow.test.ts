import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Part } from '../../../proto/http/sourcing/parts.ts'
import { connect } from '../../kit/db/client.ts'
import { ExpressLane } from '../../kit/db/express-lane.ts'
import { testDatabase } from '../../kit/testing/database.ts'
import { loadParts } from '../../kit/testing/load.ts'
import { planOf } from '../../kit/testing/plans.ts'
import { findPart, listParts, listPartsFarAhead, listPartsFrom, searchAllParts, searchNextParts } from './queries.ts'
import { findPage } from './search.ts'

const ROWS = 100_000
const db = await testDatabase()
await loadParts(db.owner, { count: ROWS, organizations: 500 })
const url = db.urlOf('sourcing')

describe(`over ${ROWS} parts`, () => {
  const now = new Date().toISOString()
  const page = { after: undefined, limit: 11, offset: 0 }

  test.each(['CONSUMER', 'IP_OWNER'] as const)('no query of view %s reads the whole table', async (view) => {
    const plans = [
      await planOf(url, (sql) => listParts(sql, 'org_7', { view, ...page })),
      await planOf(url, (sql) => listPartsFarAhead(sql, 'org_7', { view, ...page })),
      await planOf(url, (sql) =>
        listPartsFrom(sql, 'org_7', { view, key: 'k', page: 9, pageSize: 10, limit: 11, maxSkipped: 100, now }),
      ),
      await planOf(url, (sql) => searchNextParts(sql, 'org_7', { view, q: 'impeller', ...page })),
      await planOf(url, (sql) => searchAllParts(sql, 'org_7', { view, q: 'impeller', ...page })),
      await planOf(url, (sql) => searchAllParts(sql, 'org_7', { view, q: 'im', ...page })),
      await planOf(url, (sql) => searchAllParts(sql, 'org_7', { view, q: '#', ...page })),
    ]
    for (const plan of plans) expect(plan.scannedWhole).toEqual([])
    const kind = view === 'CONSUMER' ? 'parts_public' : 'parts_owned'
    expect(plans.at(-3)?.indexes).toContain(`${kind}_search`)
    expect(plans.at(-2)?.indexes).toContain(`${kind}_pairs`)
    expect(plans.at(-1)?.indexes).toContain(`${kind}_letters`)
    // What the other view has is not looked at: it would tell by its time what others keep to themselves.
    const others = view === 'CONSUMER' ? 'parts_owned' : 'parts_public'
    expect(plans.flatMap(({ indexes }) => indexes).filter((name) => name.startsWith(others))).toEqual([])
    expect(plans[0]?.indexes).toEqual([kind])
  })

  test('one part is found by its key', async () => {
    const plan = await planOf(url, (sql) => findPart(sql, 'org_7', 'part_1'))
    expect([plan.scannedWhole, plan.indexes]).toEqual([[], ['parts_pkey']])
  })

  test('a search gives the same page whichever way it goes', async () => {
    const sql = connect(url, { max: 1, applicationName: 'test' })
    for (const q of [
      'Impeller',
      'ring',
      'e',
      'E ',
      ' 1',
      '%',
      '_',
      '\\',
      '-',
      '#ü',
      'zzz',
      'q',
      'zz',
      '0000',
      'ref-00019',
      'iMPELLER a',
    ]) {
      for (const offset of [0, 44]) {
        const search = { view: 'CONSUMER' as const, q, after: undefined, limit: 11, offset }
        const [either, all] = [
          await findPage({ sql, lane: new ExpressLane(sql, undefined) }, 'org_7', search),
          await searchAllParts(sql, 'org_7', search),
        ]
        expect(either.map((row) => row.document)).toEqual(all.map((row) => row.document))
      }
    }
    await sql.end({ timeout: 1 })
  }, 60_000)

  test('every document is a Part', async () => {
    const isPart = TypeCompiler.Compile(Part)
    const rows = await db.owner<{ document: string; owner_document: string }[]>`
      select document, owner_document from sourcing.parts order by id limit 2000`
    for (const row of rows) {
      expect(isPart.Check(JSON.parse(row.document))).toBe(true)
      expect(isPart.Check(JSON.parse(row.owner_document))).toBe(true)
    }
  })
})
