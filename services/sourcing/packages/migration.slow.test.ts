import { expect, test } from 'bun:test'
import { emptyTestDatabase, migrateTest } from '../../testing/database.ts'

test('the lines of packages that exist keep the order of their ids', async () => {
  const db = await emptyTestDatabase()
  await migrateTest(db.ownerUrl, { before: { sourcing: '0030_completions.sql' } })
  const { owner } = db
  await owner`
    insert into sourcing.rfq_packages (id, consumer_org_id, title, currency, created_by, created_at, updated_at)
    select id, 'org_buyer', 'Overhaul', 'EUR', 'user_1', now(), now() from unnest(array['package_1', 'package_2']) id`
  await owner`
    insert into sourcing.rfqs (id, serial_number, part_id, part_serial_number, consumer_org_id, ip_owner_org_id, state, terms,
      expires_at, created_at, updated_at, manufacturer_ids, package_id)
    select id, id, 'part_1', 'P-1', 'org_buyer', 'org_owner', 'DRAFT', '{"currency": "EUR"}', now(), now(), now(), '{}', package_id
    from (values ('rfq_3', 'package_1'), ('rfq_1', 'package_1'), ('rfq_2', 'package_2'), ('rfq_4', null)) r (id, package_id)`
  await migrateTest(db.ownerUrl)
  const rows = await owner<{ id: string; package_place: number | null }[]>`
    select id, package_place from sourcing.rfqs order by id`
  expect(rows.map((row) => [row.id, row.package_place])).toEqual([
    ['rfq_1', 0],
    ['rfq_2', 0],
    ['rfq_3', 1],
    ['rfq_4', null],
  ])
})
