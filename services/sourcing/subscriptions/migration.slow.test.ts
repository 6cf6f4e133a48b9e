import { expect, test } from 'bun:test'
import { emptyTestDatabase, migrateTest } from '../../testing/database.ts'

/** The migration that clears the flags. */
const SUBSCRIPTIONS = '0019_subscriptions.sql'

test('flags from before subscriptions are cleared with one history entry for each part and one event for each owner', async () => {
  const db = await emptyTestDatabase()
  await migrateTest(db.ownerUrl, { before: { sourcing: SUBSCRIPTIONS } })
  const insert = (id: string, owner: string, content: string) => db.owner`
    insert into sourcing.parts (id, serial_number, ip_owner_org_id, state, content, created_at, updated_at)
    values (${id}, ${`P-${id}`}, ${owner}, 'PUBLISHED', ${content}::text::json, now(), now())`
  const flagged =
    '{"title":"A \\"requireSubscription\\":true","requireSubscription":true,"internal":false,"metadata":{"requireSubscription":"true"}}'
  await insert('part_1', 'org_1', flagged)
  await insert('part_2', 'org_1', '{"requireSubscription":true,"internal":false,"metadata":{}}')
  await insert('part_3', 'org_2', '{"requireSubscription":true,"internal":false,"metadata":{}}')
  await insert('part_4', 'org_3', '{"requireSubscription":false,"internal":false,"metadata":{}}')
  await migrateTest(db.ownerUrl)

  const parts = await db.owner<{ id: string; content: string; revision: number }[]>`
    select id, content::text as content, revision from sourcing.parts order by id`
  expect([...parts]).toEqual([
    {
      id: 'part_1',
      content:
        '{"title":"A \\"requireSubscription\\":true","requireSubscription":false,"internal":false,"metadata":{"requireSubscription":"true"}}',
      revision: 2,
    },
    { id: 'part_2', content: '{"requireSubscription":false,"internal":false,"metadata":{}}', revision: 2 },
    { id: 'part_3', content: '{"requireSubscription":false,"internal":false,"metadata":{}}', revision: 2 },
    { id: 'part_4', content: '{"requireSubscription":false,"internal":false,"metadata":{}}', revision: 1 },
  ])
  const history = await db.owner<{ id: string; document: string }[]>`
    select record_id as id, document from sourcing.history order by record_id, timestamp, id`
  const entries = history.map(({ id, document }) => [id, JSON.parse(document).kind, JSON.parse(document).changes])
  const cleared = [{ field: 'requireSubscription', before: true, after: false }]
  for (const id of ['part_1', 'part_2', 'part_3']) {
    expect(entries.filter(([of]) => of === id).slice(1)).toEqual([[id, 'UPDATE', cleared]])
  }
  expect(entries.filter(([of]) => of === 'part_4')).toHaveLength(1)

  const events = await db.owner<{ id: string; type: string; tenant_id: string; data: string }[]>`
    select id, type, tenant_id, data::text as data from sourcing.outbox order by tenant_id`
  expect(events.map(({ type, tenant_id: tenant, data }) => [type, tenant, JSON.parse(data)])).toEqual([
    ['sourcing.subscription.requirementsCleared', 'org_1', { ipOwnerOrgId: 'org_1', parts: 2 }],
    ['sourcing.subscription.requirementsCleared', 'org_2', { ipOwnerOrgId: 'org_2', parts: 1 }],
  ])
  for (const { id } of events) expect(id).toMatch(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/)
})
