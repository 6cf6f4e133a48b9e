import { expect, test } from 'bun:test'
import type { Part } from '../../../proto/http/sourcing/parts.ts'
import { connect } from '../../kit/db/client.ts'
import { importTexts, restoreShipped, shippedText } from '../../testing/catalog-imports.ts'
import { marketplaceWithWorkers } from '../../testing/marketplace.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'])
const { client } = (await market.organization(['IP_OWNER'])).administrator

test('after an import that changes the technologies of a process, its parts have them, without a new revision', async () => {
  const sql = connect(market.db.ownerUrl, { max: 2, applicationName: 'test-import', searchPath: 'catalog' })
  const { id } = (await client.post<{ id: string }>('/v1/parts', { processId: 'pbf-metal' })).body
  const other = (await client.post<{ id: string }>('/v1/parts', { processId: 'milling-metal' })).body.id
  const read = async (part: string) => (await client.get<Part>(`/v1/parts/${part}`)).body
  const before = await read(id)
  const untouched = await read(other)
  expect(before.technologyIds).toEqual(['pbf-lb-m', 'pbf-eb-m'])

  const processes = (await shippedText('processes')).replace('pbf-lb-m;pbf-eb-m', 'pbf-lb-m')
  const { problems } = await importTexts(sql, { processes })
  expect(problems.count).toBe(0)
  const after = await until(
    async () => {
      const part = await read(id)
      return part.technologyIds.length === 1 && part
      // Any open write transaction on this server delays the event, also that of another test.
    },
    { withinMs: 60_000 },
  )
  expect(after).toEqual({ ...before, technologyIds: ['pbf-lb-m'] })
  expect(await read(other)).toEqual(untouched)
  await restoreShipped(sql, 'processes')
  await sql.end({ timeout: 1 })
}, 90_000)

test('thousands of parts are updated in short transactions: finished parts are not locked, and a crash loses none', async () => {
  const sql = connect(market.db.ownerUrl, { max: 2, applicationName: 'test-import', searchPath: 'catalog' })
  const { owner } = market.db
  await owner`
    insert into sourcing.parts (id, serial_number, ip_owner_org_id, state, content, technology_ids, created_at,
      updated_at)
    select 'part_0' || lpad(n::text, 25, '0'), 'Q-' || lpad(n::text, 8, '0'), 'org_1', 'DRAFT',
      '{"processId":"pbf-metal"}', array['pbf-lb-m', 'pbf-eb-m'], now(), now()
    from generate_series(1, 4500) n`
  const stale = async () => {
    const [row] = await owner<{ parts: number }[]>`
      select count(*)::integer as parts from sourcing.parts
      where process_id = 'pbf-metal' and technology_ids <> array['pbf-lb-m']`
    return row?.parts
  }
  expect(await stale()).toBeGreaterThanOrEqual(4500)
  const processes = (await shippedText('processes')).replace('pbf-lb-m;pbf-eb-m', 'pbf-lb-m')
  await importTexts(sql, { processes })
  // Finished parts are committed and not locked while the next ones wait.
  await until(async () => ((await stale()) ?? 0) <= 3502, { withinMs: 60_000 })
  const locked = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  const holder = owner.begin(async (tx) => {
    // A table lock, because an open write transaction would delay the events of all tests on this server.
    await tx`lock table sourcing.parts in share mode`
    locked.resolve()
    await done.promise
  })
  await locked.promise
  expect(await stale()).toBeGreaterThan(0)
  await owner`select id from sourcing.parts where id < ${`part_0${'1001'.padStart(25, '0')}`} for update nowait`
  const kill = () => owner`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and usename = 'marketplace_sourcing' and wait_event_type = 'Lock'`
  await until(async () => (await kill()).length === 1)
  done.resolve()
  await holder
  await until(async () => (await stale()) === 0, { withinMs: 60_000 })
  // The update does not change the revision.
  const [changed] = await owner<{ parts: number }[]>`
    select count(*)::integer as parts from sourcing.parts where process_id = 'pbf-metal' and revision <> 1`
  expect(changed?.parts).toBe(0)
  await until(async () => (await owner`select 1 from sourcing.jobs where kind = 'technologies'`).length === 0, {
    withinMs: 10_000,
  })
  await restoreShipped(sql, 'processes')
  await sql.end({ timeout: 1 })
}, 90_000)
