import { expect, test } from 'bun:test'
import { migrationsOf } from '../../kit/migrate/files.ts'
import { emptyTestDatabase, migrateTest } from '../../testing/database.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { rfqParties } from '../../testing/rfqs.ts'

/** The migration that starts the capture of RFQs. */
const CAPTURE = '0006_rfq_history.sql'

test('the history of an RFQ from before capture begins with one BACKFILL entry, that of a later RFQ with CREATE', async () => {
  const db = await emptyTestDatabase()
  await migrateTest(db.ownerUrl, { before: { sourcing: CAPTURE } })
  // The service refuses an incomplete schema, so the missing migrations are recorded until the RFQ is created.
  const names = (await migrationsOf('sourcing')).map(({ name }) => name)
  const missing = names.slice(names.indexOf(CAPTURE))
  await db.owner`insert into sourcing.schema_migrations (name, checksum) select name, '' from unnest(${missing}::text[]) name`
  // A later migration adds this column.
  await db.owner`alter table sourcing.rfqs add column created_by text`
  const market = await marketplaceOf(['sourcing'], { LOG_LEVEL: 'silent' }, db)
  const { consumer, maker, buyer, draft } = await rfqParties(market)
  const old = await draft()
  // A publication by the command opens cases, which a later migration adds.
  await db.owner`update sourcing.rfqs set state = 'OPEN', published_at = now() where id = ${old}`
  await db.owner`insert into sourcing.rfq_invitations (rfq_id, org_id, invited_at) values (${old}, ${maker.orgId}, now())`

  await db.owner`alter table sourcing.rfqs drop column created_by`
  await db.owner`delete from sourcing.schema_migrations where checksum = ''`
  await migrateTest(db.ownerUrl)
  await migrateTest(db.ownerUrl)
  await buyer.act(old, 'close')
  const later = await draft()

  const historyOf = async (id: string, { administrator }: typeof maker) => {
    const path = `/v1/rfqs/${id}/history`
    type Entry = { kind: string; changes: { field: string; after?: unknown }[] }
    return (await administrator.client.get<{ items: Entry[] }>(path)).body.items
  }
  for (const by of [consumer, maker]) {
    const entries = await historyOf(old, by)
    expect(entries.map(({ kind }) => kind)).toEqual(['UPDATE', 'BACKFILL'])
    expect(entries[1]?.changes).toContainEqual({ field: 'manufacturerIds', after: [maker.orgId] })
  }
  expect((await historyOf(later, consumer)).map(({ kind }) => kind)).toEqual(['CREATE'])
})
