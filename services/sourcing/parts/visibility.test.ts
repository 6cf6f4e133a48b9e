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

await db.owner`
  insert into sourcing.orders (id, serial_number, rfq_id, offer_id, part_id, factory_id, consumer_org_id, ip_owner_org_id,
    manufacturer_org_id, seller_org_id, distributor_org_id, state, quantity, unit_price, total, currency, due_date,
    created_at, updated_at)
  select 'order_' || id, 'O-' || id, 'rfq_' || id, 'offer_' || id, id, 'factory_1', 'org_buyer', ip_owner_org_id, 'org_2',
    'org_seller', 'org_distributor', 'CANCELLED', 1, 1, 1, 'EUR', now(), now(), now()
  from sourcing.parts where id like '%5' or id like '%7' or id like '%2'`

interface Row {
  owner: string
  state: 'DRAFT' | 'PUBLISHED' | 'ARCHIVED'
  internal: boolean
  invited: boolean
  ordered: boolean
  readable: boolean
}

const ORGANIZATIONS = ['org_0', 'org_1', 'org_2', 'org_invited', 'org_consumer', 'org_unknown']
const ORDERED = ['org_buyer', 'org_seller', 'org_distributor']

test.each([...ORGANIZATIONS, ...ORDERED])(
  'the rule and the SQL condition agree on every part for %s',
  async (orgId) => {
    const rows = await db.owner<Row[]>`
    select distinct ip_owner_org_id as owner, state, internal, ${isReadable(db.owner, orgId)} as readable,
      exists (select from sourcing.rfqs r where r.part_id = parts.id and ${orgId} = any(r.manufacturer_ids)) as invited,
      exists (
        select from sourcing.orders o
        where o.part_id = parts.id and ${orgId} in (o.consumer_org_id, o.ip_owner_org_id, o.manufacturer_org_id,
          o.seller_org_id, o.distributor_org_id)) as ordered
    from sourcing.parts`
    for (const { owner, state, internal, invited, ordered, readable } of rows) {
      const relation = { orgId, isInvited: invited, isPartyToOrder: ordered }
      expect(readable).toBe(mayRead({ ipOwnerOrgId: owner, state, internal }, relation))
    }
    const readable = rows.filter((row) => row.readable)
    expect(readable.length).toBeGreaterThan(0)
    expect(readable.length).toBeLessThan(rows.length)
    expect(new Set(rows.map(({ state, internal }) => `${state} ${internal}`)).size).toBeGreaterThan(3)
  },
)
