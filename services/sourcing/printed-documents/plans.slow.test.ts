import { expect, setDefaultTimeout, test } from 'bun:test'
import { PRINTED, PRINTED_KINDS } from '../../../proto/states/printed-documents.ts'
import { testDatabase } from '../../testing/database.ts'
import { loadOrders } from '../../testing/load/orders.ts'
import { LARGEST, loadedRfqOrg, loadRfqs } from '../../testing/load/rfqs.ts'
import { workOf } from '../../testing/query-plans.ts'
import { findPrinted } from './queries.ts'

setDefaultTimeout(240_000)
const ROWS = 2_000
const db = await testDatabase()
await loadRfqs(db.owner, { count: ROWS, organizations: 200, invitations: false })
await loadOrders(db.owner, { rfqs: ROWS })
const url = db.urlOf('sourcing')
const id = `order_${'14'.padStart(26, '0')}`

test(`what a document of one of ${ROWS} orders shows is found by indexes, for each reader and kind`, async () => {
  expect(
    await findPrinted(db.owner, LARGEST, { id, shipmentId: undefined, readers: ['party'], readsBilling: true }),
  ).toHaveLength(1)
  for (const orgId of [LARGEST, loadedRfqOrg(7), 'org_unknown']) {
    for (const kind of PRINTED_KINDS) {
      const wanted = { id, shipmentId: 'shipment_1', readers: PRINTED[kind].by, readsBilling: true }
      const { scannedWhole, mostRows, busiest } = await workOf(url, (sql) => findPrinted(sql, orgId, wanted))
      expect([orgId, busiest, scannedWhole, mostRows <= 20]).toEqual([orgId, busiest, [], true])
    }
  }
})
