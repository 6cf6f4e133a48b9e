import { expect, test } from 'bun:test'
import { migrationsOf } from '../../kit/migrate/files.ts'
import { emptyTestDatabase, migrateTest } from '../../testing/database.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'

/** The migration that starts history capture. */
const CAPTURE = '0003_history.sql'

test('the history of a part from before capture begins with one BACKFILL entry, that of a later part with CREATE', async () => {
  const db = await emptyTestDatabase()
  await migrateTest(db.ownerUrl, { before: { sourcing: CAPTURE } })
  // The service refuses an incomplete schema, so the missing migrations are recorded until the part is created.
  await db.owner`insert into sourcing.schema_migrations (name, checksum) select name, '' from unnest(${await missing()}::text[]) name`
  const market = await marketplaceOf(['sourcing'], { LOG_LEVEL: 'silent' }, db)
  const { client } = (await market.organization(['IP_OWNER'])).administrator
  const old = await client.post<{ id: string }>('/v1/parts', { title: 'Old', keywords: ['k'] })
  expect(old.status).toBe(200)

  await db.owner`delete from sourcing.schema_migrations where checksum = ''`
  await migrateTest(db.ownerUrl)
  await migrateTest(db.ownerUrl)
  const later = await client.post<{ id: string }>('/v1/parts', { title: 'Later' })
  await client.send('PATCH', `/flows/v1/parts/${old.body.id}`, { body: { title: 'Older' } })

  const entriesOf = async (id: string) => {
    const { body } = await client.get<{ items: { kind: string; changes: { field: string; after?: unknown }[] }[] }>(
      `/v1/parts/${id}/history`,
    )
    return body.items
  }
  const oldEntries = await entriesOf(old.body.id)
  expect(oldEntries.map(({ kind }) => kind)).toEqual(['UPDATE', 'BACKFILL'])
  expect(oldEntries[1]?.changes).toContainEqual({ field: 'title', after: 'Old' })
  expect((await entriesOf(later.body.id)).map(({ kind }) => kind)).toEqual(['CREATE'])
})

/** The migration that starts capture and all later ones. */
async function missing(): Promise<string[]> {
  const names = (await migrationsOf('sourcing')).map(({ name }) => name)
  return names.slice(names.indexOf(CAPTURE))
}
