import { expect, setDefaultTimeout, test } from 'bun:test'
import type { Sql } from '../../kit/db/client.ts'
import { testDatabase } from '../../testing/database.ts'
import { LARGEST, loadedRfqOrg, loadRfqs } from '../../testing/load/rfqs.ts'
import { workOf } from '../../testing/query-plans.ts'
import { listMakers } from './comparison-queries.ts'
import { findInvitedPackage, listInvitedLines, listInvitedPackages, listOwnLines, listOwnPackages } from './queries.ts'

setDefaultTimeout(120_000)
const ROWS = 2_000
const LINES = 20
const db = await testDatabase()
await loadRfqs(db.owner, { count: ROWS, organizations: 1500 })
// Packages of the RFQs of each consumer.
await db.owner`
  insert into sourcing.rfq_packages (id, consumer_org_id, title, currency, created_by, created_at, updated_at)
  select distinct 'package_' || consumer_org_id || '_' || place / ${LINES}, consumer_org_id, 'Overhaul', 'EUR', 'user_1', now(), now()
  from (select consumer_org_id, (row_number() over (partition by consumer_org_id order by id))::integer as place from sourcing.rfqs) r`
await db.owner`alter table sourcing.rfqs disable trigger rfq_history`
await db.owner`
  update sourcing.rfqs set package_id = 'package_' || rfqs.consumer_org_id || '_' || r.place / ${LINES}, package_place = r.place % ${LINES}
  from (select id, (row_number() over (partition by consumer_org_id order by id))::integer as place from sourcing.rfqs) r
  where r.id = rfqs.id`
await db.owner`
  update sourcing.rfq_invitations i set package_id = r.package_id from sourcing.rfqs r where r.id = i.rfq_id`
await db.owner`vacuum analyze`

const page = { after: undefined, limit: 11, offset: 0 }
const id = `package_${LARGEST}_7`

test.each<[string, (sql: Sql, orgId: string) => PromiseLike<unknown>]>([
  ['own packages', (sql, orgId) => listOwnPackages(sql, orgId, page)],
  ['packages of invitations', (sql, orgId) => listInvitedPackages(sql, orgId, page)],
  ['lines of an own package', (sql, orgId) => listOwnLines(sql, orgId, id)],
  ['lines of invitations', (sql, orgId) => listInvitedLines(sql, orgId, id)],
  ['a package of an invitation', (sql, orgId) => findInvitedPackage(sql, orgId, id)],
  ['manufacturers of a package', (sql, orgId) => listMakers(sql, orgId, id)],
])('%s are read by an index, for the largest and for a small organization', async (_, read) => {
  for (const orgId of [LARGEST, loadedRfqOrg(7)]) {
    const work = await workOf(db.urlOf('sourcing'), (sql) => read(sql, orgId) as never)
    expect(work.scannedWhole).toEqual([])
    expect([work.busiest, work.mostRows <= 2 * 11 * LINES]).toEqual([work.busiest, true])
  }
})
