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

interface Row {
  id: string
  manufacturerOrgId: string
  consumerOrgId: string
  ipOwnerOrgId: string
  wasSubmitted: boolean
}

/** The manufacturer reads its offer; once it is submitted, so do the consumer and the IP owner of the RFQ. */
const mayRead = ({ manufacturerOrgId, consumerOrgId, ipOwnerOrgId, wasSubmitted }: Row, orgId: string) =>
  manufacturerOrgId === orgId || (wasSubmitted && (consumerOrgId === orgId || ipOwnerOrgId === orgId))

test.each(['org_0', 'org_1', 'org_2', 'org_owner', 'org_maker', 'org_unknown'])(
  '%s reads, and lists, the offers that the contract gives to it',
  async (orgId) => {
    const rows = await db.owner<Row[]>`
      select id, manufacturer_org_id as "manufacturerOrgId", consumer_org_id as "consumerOrgId",
        ip_owner_org_id as "ipOwnerOrgId", submitted_at is not null as "wasSubmitted"
      from sourcing.offers order by id desc`
    const readable = rows.filter((row) => mayRead(row, orgId)).map(({ id }) => id)
    const listed = await listOffers(db.owner, orgId, { after: undefined, limit: 1000, offset: 0 })
    expect(listed.map(({ position }) => position)).toEqual(readable)
    for (const { id } of rows) {
      expect((await findOffer(db.owner, orgId, id)).length).toBe(readable.includes(id) ? 1 : 0)
    }
    expect(readable.length > 0).toBe(orgId !== 'org_unknown')
    expect(readable.length).toBeLessThan(rows.length)
  },
)
