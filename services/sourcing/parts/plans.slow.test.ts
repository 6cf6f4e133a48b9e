import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Part } from '../../../proto/http/sourcing/parts.ts'
import { connect } from '../../kit/db/client.ts'
import { ExpressLane } from '../../kit/db/express-lane.ts'
import { LongReads } from '../../kit/pages/long-reads.ts'
import { testDatabase } from '../../kit/testing/database.ts'
import { loadParts } from '../../kit/testing/load.ts'
import { planOf } from '../../kit/testing/plans.ts'
import {
  countNextMatches,
  findPart,
  listParts,
  listPartsFarAhead,
  listPartsFrom,
  searchAllParts,
  searchNextParts,
} from './queries.ts'
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
      await planOf(url, (sql) => countNextMatches(sql, 'org_7', { view, q: 'impeller', after: undefined }, 10_000)),
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

  test('no search waits for parallel workers to start, however many parts there are', async () => {
    const [row] = await sql<{ workers: string }[]>`select current_setting('max_parallel_workers_per_gather') as workers`
    expect(row?.workers).toBe('0')
  })

  test('one part is found by its key', async () => {
    const plan = await planOf(url, (sql) => findPart(sql, 'org_7', 'part_1'))
    expect([plan.scannedWhole, plan.indexes]).toEqual([[], ['parts_pkey']])
  })

  const sql = connect(url, { max: 1, applicationName: 'test' })
  db.beforeDrop(() => sql.end({ timeout: 1 }))
  const reads = { sql, lane: new ExpressLane(sql, undefined), longReads: new LongReads() }
  const reader = { orgId: 'org_7', signal: new AbortController().signal }

  const WORDS = [
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
  ]

  test.each(WORDS)('a search for %p gives the same page whichever way it goes', async (q) => {
    for (const offset of [0, 44]) {
      const search = { view: 'CONSUMER' as const, q, after: undefined, limit: 11, offset }
      const [either, all] = [await findPage(reads, reader, search), await searchAllParts(sql, 'org_7', search)]
      expect(either.map((row) => row.document)).toEqual(all.map((row) => row.document))
    }
  })

  /** Of 40,000 parts: all have the first word, an eighth the second, and one in a hundred the third. */
  test.each(['e', 'impeller', 'REF-0001'])(
    'a page of a search for %p is the same however far on it is',
    async (q) => {
      for (const offset of [1990, 4995, 11_000, 39_995, 1_000_000]) {
        const search = { view: 'CONSUMER' as const, q, after: undefined, limit: 11, offset }
        const [either, all] = [await findPage(reads, reader, search), await searchAllParts(sql, 'org_7', search)]
        expect(either.map((row) => row.position)).toEqual(all.map((row) => row.position))
      }
    },
    60_000,
  )

  test('nobody counts on for a reader who has left', async () => {
    const gone = { orgId: 'org_7', signal: AbortSignal.abort() }
    const search = { view: 'CONSUMER' as const, q: 'e', after: undefined, limit: 11, offset: 30_000 }
    await expect(findPage(reads, gone, search)).rejects.toThrow()
  })

  test('far pages keep to the places for long reads, and near ones need none', async () => {
    const longReads = new LongReads({ waitMs: 10 })
    longReads.take('org_7')
    longReads.take('org_7')
    const at = (offset: number, q?: string) =>
      findPage({ ...reads, longReads }, reader, {
        view: 'CONSUMER',
        after: undefined,
        limit: 11,
        offset,
        ...(q ? { q } : {}),
      })
    await expect(at(30_000, 'e')).rejects.toThrow('rate_limited')
    await expect(at(200_000)).rejects.toThrow('rate_limited')
    for (const page of [await at(0, 'e'), await at(0), await at(30_000)]) expect(page).toHaveLength(11)
  })

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
