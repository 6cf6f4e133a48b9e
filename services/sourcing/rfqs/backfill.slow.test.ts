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
  const market = await marketplaceOf(['sourcing'], { LOG_LEVEL: 'silent' }, db)
  const { consumer, ipOwner, maker, buyer, draft, partId } = await rfqParties(market)
  // The commands need later migrations.
  const old = 'rfq_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
  await db.owner`
    insert into sourcing.rfqs (id, serial_number, part_id, part_serial_number, consumer_org_id, ip_owner_org_id, state,
      terms, manufacturer_ids, expires_at, created_at, updated_at, published_at)
    values (${old}, 'R-1', ${partId}, 'P-1', ${consumer.orgId}, ${ipOwner.orgId}, 'OPEN',
      '{"currency":"EUR","deliveryRegionCode":"DK","quantities":[1],"sealed":false}', ${[maker.orgId]},
      now() + interval '1 day', now(), now(), now())`
  await db.owner`insert into sourcing.rfq_invitations (rfq_id, org_id, invited_at) values (${old}, ${maker.orgId}, now())`

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
    // The second entry is that of the pinned revision and the version.
    expect(entries.map(({ kind }) => kind)).toEqual(['UPDATE', 'BACKFILL', 'BACKFILL'])
    expect(entries[1]?.changes).toEqual([
      { field: 'partRevision', after: 1 },
      { field: 'version', after: 1 },
    ])
    expect(entries[2]?.changes).toContainEqual({ field: 'manufacturerIds', after: [maker.orgId] })
  }
  expect((await historyOf(later, consumer)).map(({ kind }) => kind)).toEqual(['CREATE'])
})
