import { expect, test } from 'bun:test'
import { migrationsOf } from '../../kit/migrate/files.ts'
import { emptyTestDatabase, migrateTest } from '../../testing/database.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { insertOrder, orderParties, ordersOf } from '../../testing/orders.ts'

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
  const old = await insertOrder(db.owner, parties)

  await db.owner`delete from sourcing.schema_migrations where checksum = ''`
  await migrateTest(db.ownerUrl)
  await migrateTest(db.ownerUrl)
  await made.act(old, 'confirm')
  const later = await insertOrder(db.owner, parties)

  const entries = (await made.history(old)).body.items
  expect(entries.map(({ kind }) => kind)).toEqual(['UPDATE', 'BACKFILL'])
  expect(entries[1]?.changes).toContainEqual({ field: 'state', after: 'PLACED' })
  expect((await made.history(later)).body.items.map(({ kind }) => kind)).toEqual(['CREATE'])
})
