import { expect, test } from 'bun:test'
import { testDatabase } from '../../testing/database.ts'
import { loadRfqs } from '../../testing/load/rfqs.ts'
import { listRfqs } from './list-queries.ts'
import { findRfq } from './queries.ts'

const db = await testDatabase()
await loadRfqs(db.owner, { count: 150, organizations: 8 })
await db.owner`update sourcing.rfqs set ip_owner_org_id = 'org_owner' where id like '%3'`
const now = new Date().toISOString()

interface Row {
  id: string
  consumerOrgId: string
  ipOwnerOrgId: string
  wasPublished: boolean
  manufacturerIds: string[]
}

/** The consumer reads its RFQ; once it is published, so do its IP owner and each invited manufacturer. */
const mayRead = ({ consumerOrgId, ipOwnerOrgId, wasPublished, manufacturerIds }: Row, orgId: string) =>
  consumerOrgId === orgId || (wasPublished && (ipOwnerOrgId === orgId || manufacturerIds.includes(orgId)))

test.each(['org_0', 'org_1', 'org_2', 'org_owner', 'org_unknown'])(
  '%s reads, and lists, the RFQs that the contract gives to it',
  async (orgId) => {
    const rows = await db.owner<Row[]>`
      select id, consumer_org_id as "consumerOrgId", ip_owner_org_id as "ipOwnerOrgId",
        published_at is not null as "wasPublished", manufacturer_ids as "manufacturerIds"
      from sourcing.rfqs order by id desc`
    const readable = rows.filter((row) => mayRead(row, orgId)).map(({ id }) => id)
    const window = { after: undefined, limit: 1000, offset: 0, now }
    const listed = await listRfqs(db.owner, orgId, window)
    expect(listed.map(({ position }) => position)).toEqual(readable)
    for (const { id } of rows) {
      expect((await findRfq(db.owner, orgId, id)).length).toBe(readable.includes(id) ? 1 : 0)
    }
    expect(readable.length > 0).toBe(orgId !== 'org_unknown')
    expect(readable.length).toBeLessThan(rows.length)
  },
)
