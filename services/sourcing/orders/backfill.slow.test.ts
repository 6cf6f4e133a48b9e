import { expect, test } from 'bun:test'
import { migrationsOf } from '../../kit/migrate/files.ts'
import { emptyTestDatabase, migrateTest } from '../../testing/database.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { insertAssignedOrder, insertOrder, orderParties, ordersOf } from '../../testing/orders.ts'

/** The migration that starts the capture of orders. */
const CAPTURE = '0009_order_history.sql'

test('the history of an order from before capture begins with one BACKFILL entry, that of a later order with CREATE', async () => {
  const db = await emptyTestDatabase()
  await migrateTest(db.ownerUrl, { before: { sourcing: CAPTURE } })
  // The service refuses an incomplete schema, so the missing migrations are recorded until the order is created.
  const names = (await migrationsOf('sourcing')).map(({ name }) => name)
  const missing = names.slice(names.indexOf(CAPTURE))
  await db.owner`insert into sourcing.schema_migrations (name, checksum) select name, '' from unnest(${missing}::text[]) name`
  const market = await marketplaceOf(['sourcing'], { LOG_LEVEL: 'silent' }, db)
  const { maker, parties } = await orderParties(market)
  const made = ordersOf(maker.administrator.client)
  const old = await insertOrder(db.owner, parties, { pins: false })

  await db.owner`delete from sourcing.schema_migrations where checksum = ''`
  await migrateTest(db.ownerUrl)
  await migrateTest(db.ownerUrl)
  await made.act(old, 'confirm')
  const later = await insertOrder(db.owner, parties)

  const entries = (await made.history(old)).body.items
  // The second entry is that of the pinned revision.
  expect(entries.map(({ kind }) => kind)).toEqual(['UPDATE', 'BACKFILL', 'BACKFILL'])
  expect(entries[2]?.changes).toContainEqual({ field: 'state', after: 'PLACED' })
  expect((await made.history(later)).body.items.map(({ kind }) => kind)).toEqual(['CREATE'])
})

test('the migration that adds expected days fills them for orders that have announced a delay, without history', async () => {
  const db = await emptyTestDatabase()
  await migrateTest(db.ownerUrl, { before: { sourcing: '0014_expected_dates.sql' } })
  const parties = {
    ...{ consumerOrgId: 'org_a', ipOwnerOrgId: 'org_b', manufacturerOrgId: 'org_c', sellerOrgId: 'org_c' },
    ...{ partId: 'part_a', factoryId: 'factory_a', state: 'IN_PRODUCTION' as const },
  }
  const [plain, planned, extended] = await Promise.all(
    [1, 2, 3].map(() => insertAssignedOrder(db.owner, parties, { pins: false })),
  )
  const milestones = JSON.stringify([{ name: 'Powder', plannedTime: '2031-06-12T12:00:00.000Z' }])
  await db.owner`update sourcing.orders set milestones = ${milestones}::text::jsonb where id = ${planned ?? ''}`
  await db.owner`update sourcing.assignments set due_date = '2031-06-20' where order_id = ${extended ?? ''}`
  const entries = async () =>
    (await db.owner<{ id: string }[]>`select id from sourcing.history order by id`).map(({ id }) => id)
  const before = await entries()
  await migrateTest(db.ownerUrl)
  const rows = await db.owner<{ id: string; day: string | null }[]>`
    select id, document::json ->> 'expectedDate' as day from sourcing.orders`
  expect(new Map(rows.map(({ id, day }) => [id, day]))).toEqual(
    new Map([
      [plain ?? '', null],
      [planned ?? '', '2031-06-12'],
      [extended ?? '', '2031-06-20'],
    ]),
  )
  expect(await entries()).toEqual(before)
})
