import { expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { loadParts } from '../../testing/load/parts.ts'
import { mayRead } from './rules.ts'
import { isReadable } from './visibility.ts'

const db = await testDatabase()
await loadParts(db.owner, { count: 120, organizations: 3 })
await db.owner`update sourcing.parts set state = 'ARCHIVED' where id like '%5' or id like '%4'`
await db.owner`
  insert into sourcing.rfqs (id, serial_number, part_id, part_serial_number, consumer_org_id, ip_owner_org_id, state,
    quantities, manufacturer_ids, expires_at, currency, delivery_region_code, sealed, created_at, updated_at, published_at)
  select 'rfq_' || id, 'R-' || id, id, serial_number, 'org_consumer', ip_owner_org_id, 'CLOSED', '{1}',
    '{org_1,org_invited}', now(), 'EUR', 'DK', false, now(), now(), now()
  from sourcing.parts where id like '%7' or id like '%4'`
await db.owner`
  insert into sourcing.rfq_invitations (rfq_id, org_id, invited_at)
  select id, unnest(manufacturer_ids), now() from sourcing.rfqs`

interface Row {
  owner: string
  state: 'DRAFT' | 'PUBLISHED' | 'ARCHIVED'
  internal: boolean
  invited: boolean
  readable: boolean
}

test.each(['org_0', 'org_1', 'org_invited', 'org_consumer', 'org_unknown'])(
  'the rule and the SQL condition agree on every part for %s',
  async (orgId) => {
    const rows = await db.owner<Row[]>`
    select distinct ip_owner_org_id as owner, state, internal, ${isReadable(db.owner, orgId)} as readable,
      exists (select from sourcing.rfqs r where r.part_id = parts.id and ${orgId} = any(r.manufacturer_ids)) as invited
    from sourcing.parts`
    for (const { owner, state, internal, invited, readable } of rows) {
      expect(readable).toBe(mayRead({ ipOwnerOrgId: owner, state, internal }, { orgId, isInvited: invited }))
    }
    const readable = rows.filter((row) => row.readable)
    expect(readable.length).toBeGreaterThan(0)
    expect(readable.length).toBeLessThan(rows.length)
    expect(new Set(rows.map(({ state, internal }) => `${state} ${internal}`)).size).toBeGreaterThan(3)
  },
)
