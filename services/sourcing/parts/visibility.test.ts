import { expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { loadParts } from '../../testing/load/parts.ts'
import { isReadable } from './visibility.ts'

const db = await testDatabase()
await loadParts(db.owner, { count: 120, organizations: 3 })
await db.owner`update sourcing.parts set state = 'ARCHIVED' where id like '%5' or id like '%4'`
const RFQ_STATES = ['OPEN', 'CLOSED', 'AWARDED', 'CANCELLED']
const INVITATION_STATES = ['INVITED', 'READ', 'OFFERED', 'DECLINED']
// Every combination of the states of RFQ and invitation, and awards with and without an offer of the invited
// organization.
await db.owner`
  insert into sourcing.rfqs (id, serial_number, part_id, part_serial_number, consumer_org_id, ip_owner_org_id, state,
    terms, manufacturer_ids, expires_at, cancel_reason, created_at,
    updated_at, published_at)
  select 'rfq_' || n, 'R-' || n, id, serial_number, 'org_consumer', ip_owner_org_id, rfq.state,
    '{"currency":"EUR","deliveryRegionCode":"DK","quantities":[1],"sealed":false}', '{org_1,org_invited}', now(), case rfq.state when 'CANCELLED' then 'Sold.' end, now(), now(), now()
  from (select row_number() over (order by id) as n, * from sourcing.parts where state <> 'PUBLISHED' or internal) part
  cross join lateral (select (${RFQ_STATES}::text[])[1 + n % 4] as state) rfq`
await db.owner`
  insert into sourcing.rfq_invitations (rfq_id, org_id, invited_at, state, awarded_offer_ids)
  select id, org_id, now(), (${INVITATION_STATES}::text[])[1 + n / 4 % 4],
    case when state = 'AWARDED' and n % 3 = 0 then array['offer_1'] else '{}' end
  from sourcing.rfqs, unnest(manufacturer_ids) org_id, lateral (select split_part(id, '_', 2)::int as n) number`

await db.owner`
  insert into sourcing.orders (id, serial_number, rfq_id, offer_id, part_id, factory_id, consumer_org_id, ip_owner_org_id,
    manufacturer_org_id, seller_org_id, distributor_org_id, state, quantity, unit_price, total, currency, due_date,
    created_at, updated_at)
  select 'order_' || id, 'O-' || id, 'rfq_' || id, 'offer_' || id, id, 'factory_1', 'org_buyer', ip_owner_org_id, 'org_2',
    'org_seller', 'org_distributor', 'CANCELLED', 1, 1, 1, 'EUR', now(), now(), now()
  from sourcing.parts where id like '%5' or id like '%2'`

// Every combination of states and expiry, for parts by name and for all parts of an owner.
const SUBSCRIPTION_STATES = ['REQUESTED', 'ACTIVE', 'DECLINED', 'ENDED']
await db.owner`
  insert into sourcing.subscriptions (
    id, ip_owner_org_id, consumer_org_id, part_id, state, created_by_org_id, expires_at, created_at, updated_at)
  select 'subscription_' || id, ip_owner_org_id, 'org_subscriber', id, (${SUBSCRIPTION_STATES}::text[])[1 + n % 4],
    ip_owner_org_id, (array[null, now() + interval '1 day', now() - interval '1 day'])[1 + n / 4 % 3], now(), now()
  from (select row_number() over (partition by internal order by id) as n, * from sourcing.parts) part`
await db.owner`
  insert into sourcing.subscriptions (
    id, ip_owner_org_id, consumer_org_id, state, created_by_org_id, created_at, updated_at)
  select 'subscription_' || owner, owner, 'org_subscriber_to_all', 'ACTIVE', owner, now(), now()
  from (select distinct ip_owner_org_id as owner from sourcing.parts) owners`

interface Row {
  owner: string
  state: 'DRAFT' | 'PUBLISHED' | 'ARCHIVED'
  internal: boolean
  invitations: { state: string; rfqState: string; isAwarded: boolean }[]
  ordered: boolean
  /** The organization has a published RFQ for the part that is not CANCELLED. */
  asked: boolean
  /** The organization has an ACTIVE subscription to the part by name that has not expired. */
  subscribed: boolean
  readable: boolean
}

const ORGANIZATIONS = ['org_0', 'org_1', 'org_2', 'org_invited', 'org_consumer', 'org_unknown']
const SUBSCRIBERS = ['org_subscriber', 'org_subscriber_to_all']
const ORDERED = ['org_buyer', 'org_seller', 'org_distributor']

/** An invitation ends with its decline, the cancellation of the RFQ, and an award without the organization. */
const isAlive = ({ state, rfqState, isAwarded }: Row['invitations'][number]) =>
  state !== 'DECLINED' && rfqState !== 'CANCELLED' && (rfqState !== 'AWARDED' || isAwarded)

const mayRead = ({ owner, state, internal, invitations, ordered, asked, subscribed }: Row, orgId: string) =>
  owner === orgId ||
  (state === 'PUBLISHED' && (!internal || subscribed)) ||
  invitations.some(isAlive) ||
  ordered ||
  asked

test.each([...ORGANIZATIONS, ...ORDERED, ...SUBSCRIBERS])(
  '%s reads the parts that the contract gives to it',
  async (orgId) => {
    const rows = await db.owner<Row[]>`
    select ip_owner_org_id as owner, state, internal, ${isReadable(db.owner, orgId)} as readable,
      coalesce((
        select json_agg(json_build_object(
          'state', i.state, 'rfqState', i.rfq_state, 'isAwarded', i.awarded_offer_ids <> '{}'))
        from sourcing.rfq_invitations i where i.part_id = parts.id and i.org_id = ${orgId}), '[]') as invitations,
      exists (
        select from sourcing.orders o
        where o.part_id = parts.id and ${orgId} in (o.consumer_org_id, o.ip_owner_org_id, o.manufacturer_org_id,
          o.seller_org_id, o.distributor_org_id)) as ordered,
      exists (
        select from sourcing.rfqs r
        where r.part_id = parts.id and r.consumer_org_id = ${orgId} and r.published_at is not null
          and r.state in ('OPEN', 'CLOSED', 'AWARDED')) as asked,
      exists (
        select from sourcing.subscriptions s
        where s.part_id = parts.id and s.consumer_org_id = ${orgId} and s.state = 'ACTIVE'
          and coalesce(s.expires_at, 'infinity') > now()) as subscribed
    from sourcing.parts`
    for (const row of rows) expect([row, row.readable]).toEqual([row, mayRead(row, orgId)])
    const readable = rows.filter((row) => row.readable)
    expect(readable.length).toBeGreaterThan(0)
    expect(readable.length).toBeLessThan(rows.length)
    expect(new Set(rows.map(({ state, internal }) => `${state} ${internal}`)).size).toBeGreaterThan(3)
    if (orgId === 'org_subscriber') {
      const kinds = rows.map((row) => `${row.state} ${row.internal} ${row.subscribed}`)
      for (const subscribed of [true, false]) expect(kinds).toContain(`PUBLISHED true ${subscribed}`)
    }
    if (orgId !== 'org_invited') return
    const seen = rows.flatMap(({ invitations }) => invitations)
    const kinds = new Set(seen.map(({ state, rfqState, isAwarded }) => `${state} ${rfqState} ${isAwarded}`))
    expect(kinds.size).toBeGreaterThanOrEqual(RFQ_STATES.length * INVITATION_STATES.length)
  },
)
