import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Part } from '../../../proto/http/sourcing/parts.ts'
import { connect, type Sql } from '../../kit/db/client.ts'
import { testDatabase } from '../../testing/database.ts'
import { loadParts } from '../../testing/load/parts.ts'
import { planOf } from '../../testing/query-plans.ts'
import { MEASURED } from '../previews/visibility.ts'
import { INDEX_SETTINGS } from './list.ts'
import { findPart, listParts, listPartsAtLargeOffset, scanParts, searchIndex } from './queries.ts'

const ROWS = 10_000
const db = await testDatabase()
await loadParts(db.owner, { count: ROWS, organizations: 150 })
await db.owner`
  insert into sourcing.subscriptions (
    id, ip_owner_org_id, consumer_org_id, part_id, state, created_by_org_id, created_at, updated_at)
  select 'subscription_' || n, 'org_' || n % 150, 'org_subscriber_' || n % 50, 'part_' || n, 'ACTIVE', 'org_' || n % 150,
    now(), now()
  from generate_series(1, 5000) n`
await db.owner`analyze sourcing.subscriptions`
const url = db.urlOf('sourcing')

describe(`over ${ROWS} parts`, () => {
  const page = { after: undefined, limit: 11, offset: 0 }

  test.each(['CONSUMER', 'IP_OWNER'] as const)('no query of view %s reads the whole table', async (view) => {
    const plans = [
      await planOf(url, (sql) => listParts(sql, 'org_7', { view, ...page })),
      await planOf(url, (sql) => listPartsAtLargeOffset(sql, 'org_7', { view, ...page })),
      await planOf(url, (sql) => scanParts(sql, 'org_7', { view, q: 'impeller', ...page }, 10_000)),
    ]
    const kind = view === 'CONSUMER' ? 'parts_public' : 'parts_owned'
    expect(plans[0]?.indexes).toEqual([kind])
    // The scan reads the covering index of the texts; only matches are fetched.
    expect(plans.at(-1)?.indexes.toSorted()).toEqual(['parts_pkey', `${kind}_texts`].toSorted())
    for (const [q, index] of [
      ['impeller', 'search'],
      ['im', 'bigrams'],
      ['a-b', 'bigrams'],
      ['#', 'characters'],
      ['äöü', 'characters'],
    ] as const) {
      const search = (sql: Sql) => searchIndex(sql, 'org_7', { view, q, ...page })
      const plan = await planOf(url, search, { ...INDEX_SETTINGS, statement_timeout: '0' })
      expect([q, plan.indexes]).toEqual([q, expect.arrayContaining([`${kind}_${index}`])])
      plans.push(plan)
    }
    for (const plan of plans) expect(plan.scannedWhole).toEqual([])
    // The time of a search must not depend on the parts of the other view, which may be secret.
    const others = view === 'CONSUMER' ? 'parts_owned' : 'parts_public'
    expect(plans.flatMap(({ indexes }) => indexes).filter((name) => name.startsWith(others))).toEqual([])
  })

  test('no search uses parallel workers', async () => {
    const sql = connect(url, { max: 1, applicationName: 'test' })
    db.beforeDrop(() => sql.end({ timeout: 1 }))
    const [row] = await sql<{ workers: string }[]>`select current_setting('max_parallel_workers_per_gather') as workers`
    expect(row?.workers).toBe('0')
  })

  test('a single part is found by its primary key, and the invitations, orders and subscriptions that make it readable by indexes', async () => {
    const plan = await planOf(url, (sql) =>
      findPart(sql, 'org_7', 'part_1', MEASURED.ofPart('org_7', new Date().toISOString())),
    )
    expect(plan.scannedWhole).toEqual([])
    // Some indexes serve the question whether the part is readable, that of the pinned revision, that of the outline,
    // and that of the newest model that may be read.
    expect([...new Set(plan.indexes.map((name) => name.split('_').slice(0, 2).join('_')))].sort()).toEqual([
      'orders_consumed',
      'orders_distributed',
      'orders_live',
      'orders_made',
      'orders_owned',
      'orders_sold',
      // Without orders, either index of a consumer is as good.
      'orders_suppliers',
      'orders_to',
      'part_revisions',
      'parts_pkey',
      'rfq_file',
      'rfq_invitations',
      'rfqs_pkey',
      'rfqs_sourced',
      'subscriptions_readable',
    ])
    expect(plan.indexes).toHaveLength(38)
  })

  test('every stored document matches the schema of a part', async () => {
    const isPart = TypeCompiler.Compile(Part)
    const rows = await db.owner<{ document: string; owner_document: string }[]>`
      select document, owner_document from sourcing.parts order by id limit 2000`
    for (const row of rows) {
      expect(isPart.Check(JSON.parse(row.document))).toBe(true)
      expect(isPart.Check(JSON.parse(row.owner_document))).toBe(true)
    }
  })
})
