import { expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { loadOffers } from '../../testing/load/offers.ts'
import { loadRfqs } from '../../testing/load/rfqs.ts'
import { listOffers } from './list-queries.ts'
import { findOffer } from './queries.ts'

const db = await testDatabase()
await loadRfqs(db.owner, { count: 60, organizations: 8 })
await loadOffers(db.owner, { rfqs: 60 })
await db.owner`update sourcing.offers set ip_owner_org_id = 'org_owner' where id like '%3'`
await db.owner`update sourcing.offers set manufacturer_org_id = 'org_maker' where id like '%1' or id like '%3'`
// The IP owner is invited to a part of the RFQs, in every state of them.
await db.owner`
  update sourcing.rfqs set cancel_reason = case when state = 'CANCELLED' then cancel_reason end, published_at = now(),
    state = (array['OPEN', 'CLOSED', 'AWARDED'])[1 + split_part(id, '_', 2)::int % 3]
  where state <> 'CANCELLED'`
await db.owner`
  insert into sourcing.rfq_invitations (rfq_id, org_id, invited_at)
  select id, 'org_owner', now() from sourcing.rfqs where split_part(id, '_', 2)::int % 2 = 0`

interface Row {
  id: string
  manufacturerOrgId: string
  consumerOrgId: string
  ipOwnerOrgId: string
  wasSubmitted: boolean
  rfqState: string
  isOwnerInvited: boolean
}

/**
 * The manufacturer reads its offer; once it is submitted, so do the consumer and the IP owner of the RFQ. An IP owner
 * that is invited itself reads it only after the RFQ has ended.
 */
function mayRead(row: Row, orgId: string): boolean {
  const { manufacturerOrgId, consumerOrgId, ipOwnerOrgId, wasSubmitted, rfqState, isOwnerInvited } = row
  if (manufacturerOrgId === orgId) return true
  if (!wasSubmitted) return false
  const hasEnded = rfqState === 'AWARDED' || rfqState === 'CANCELLED'

  return consumerOrgId === orgId || (ipOwnerOrgId === orgId && (hasEnded || !isOwnerInvited))
}

test.each(['org_0', 'org_1', 'org_2', 'org_owner', 'org_maker', 'org_unknown'])(
  '%s reads, and lists, the offers that the contract gives to it',
  async (orgId) => {
    const rows = await db.owner<Row[]>`
      select id, manufacturer_org_id as "manufacturerOrgId", consumer_org_id as "consumerOrgId",
        ip_owner_org_id as "ipOwnerOrgId", submitted_at is not null as "wasSubmitted",
        (select state from sourcing.rfqs where id = rfq_id) as "rfqState",
        exists (
          select from sourcing.rfq_invitations i where i.rfq_id = offers.rfq_id and org_id = 'org_owner') as "isOwnerInvited"
      from sourcing.offers order by id desc`
    const readable = rows.filter((row) => mayRead(row, orgId)).map(({ id }) => id)
    const listed = await listOffers(db.owner, orgId, {
      after: undefined,
      limit: 1000,
      offset: 0,
    })
    expect(listed.map(({ position }) => position)).toEqual(readable)
    // Pages of all roles together skip and repeat nothing, by their positions and by their offsets.
    const paged: string[] = []
    for (let after: string | undefined; ; after = paged.at(-1)) {
      const page = await listOffers(db.owner, orgId, {
        after,
        limit: 7,
        offset: 0,
      })
      const skipped = await listOffers(db.owner, orgId, {
        after: undefined,
        limit: 7,
        offset: paged.length,
      })
      expect(skipped).toEqual(page)
      paged.push(...page.map(({ position }) => position))
      if (page.length < 7) break
    }
    expect(paged).toEqual(readable)
    for (const { id } of rows) {
      expect((await findOffer(db.owner, orgId, id)).length).toBe(readable.includes(id) ? 1 : 0)
    }
    expect(readable.length > 0).toBe(orgId !== 'org_unknown')
    expect(readable.length).toBeLessThan(rows.length)
  },
)
