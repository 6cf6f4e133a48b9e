import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Offer } from '../../../proto/http/sourcing/offers.ts'
import type { Sql } from '../../kit/db/client.ts'
import { testDatabase } from '../../testing/database.ts'
import { loadOffers, OFFERS_PER_RFQ } from '../../testing/load/offers.ts'
import { LARGEST, loadedRfqOrg, loadRfqs } from '../../testing/load/rfqs.ts'
import { planOf, workOf } from '../../testing/query-plans.ts'
import { findComparedOffers, findComparedRfq } from '../comparison/queries.ts'
import { listOffers, type OfferListing } from './list-queries.ts'
import { expireDue, findPicturedOffer } from './queries.ts'

setDefaultTimeout(240_000)
// With two thirds of them the planner reads another index for a rare state.
const RFQS = 3_000
const db = await testDatabase()
await loadRfqs(db.owner, { count: RFQS, organizations: 1000 })
await loadOffers(db.owner, { rfqs: RFQS })
const url = db.urlOf('sourcing')

const page = { after: undefined, limit: 11, offset: 0 }
const VIEWS = ['CONSUMER', 'IP_OWNER', 'MANUFACTURER', undefined] as const
const ORGANIZATIONS = [LARGEST, loadedRfqOrg(7)]
/** The rows of a page from each of the three roles, and the documents of the page. */
const MOST_ROWS = 80
/** An RFQ of an organization. */
const rfqOf = (orgId: string) => `rfq_${String(orgId === LARGEST ? 2000 : 2011).padStart(26, '0')}`

const FILTERS: [string, (orgId: string) => Partial<OfferListing>][] = [
  ['no filter', () => ({})],
  ['a common state', () => ({ state: 'REJECTED' })],
  ['a rare state', () => ({ state: 'EXPIRED' })],
  ['rfqId', (orgId) => ({ rfqId: rfqOf(orgId) })],
  ['partId', () => ({ partId: 'part_14' })],
  ['activated=true', () => ({ activated: true })],
  ['activated=false', () => ({ activated: false })],
  ['activated=false and a rare state', () => ({ activated: false, state: 'WITHDRAWN' })],
]

describe(`over ${RFQS * OFFERS_PER_RFQ} offers, of which one organization has half`, () => {
  const cases = VIEWS.flatMap((view) => FILTERS.map(([name, filters]) => [String(view), name, view, filters] as const))

  test.each(cases)(
    'view %s with %s reads a page of rows for the largest and for a small one',
    async (_, __, view, filters) => {
      for (const orgId of ORGANIZATIONS) {
        const work = await workOf(url, (sql) =>
          listOffers(sql, orgId, { ...(view && { view }), ...filters(orgId), ...page }),
        )
        expect(work.scannedWhole).toEqual([])
        expect([orgId, work.busiest, work.mostRows <= MOST_ROWS]).toEqual([orgId, work.busiest, true])
      }
    },
  )

  test.each(ORGANIZATIONS)('rfqId finds the offers of an RFQ of %s', async (orgId) => {
    const rows = await listOffers(db.owner, orgId, { rfqId: rfqOf(orgId), ...page })
    expect(rows).toHaveLength(OFFERS_PER_RFQ)
  })

  test('activated=false of an organization whose newest thousands of offers are ACCEPTED reads a page of rows', async () => {
    await db.owner`
      update sourcing.offers set state = 'ACCEPTED'
      where consumer_org_id = ${LARGEST} and state = 'REJECTED' and id > ${`offer_${String(OFFERS_PER_RFQ * RFQS - 6_000).padStart(26, '0')}`}`
    await db.owner`vacuum analyze sourcing.offers`
    for (const view of VIEWS) {
      const work = await workOf(url, (sql) =>
        listOffers(sql, LARGEST, { ...(view && { view }), activated: false, ...page }),
      )
      expect([work.busiest, work.mostRows <= MOST_ROWS]).toEqual([work.busiest, true])
    }
  })

  test('an offer, the due ones and those of a comparison are found by indexes', async () => {
    const now = new Date().toISOString()
    const queries: ((sql: Sql) => PromiseLike<unknown>)[] = [
      (sql) => findPicturedOffer(sql, 'org_7', 'offer_1'),
      (sql) => expireDue(sql, { now, limit: 100, except: [] }),
      (sql) => findComparedRfq(sql, 'org_7', 'rfq_1'),
    ]
    for (const query of queries) expect((await planOf(url, query)).scannedWhole).toEqual([])
    const compared = await planOf(url, (sql) => findComparedOffers(sql, 'org_7', 'rfq_1', now))
    expect(compared.scannedWhole).not.toContain('offers')
  })

  test('every stored document matches the schema of an offer', async () => {
    const isOffer = TypeCompiler.Compile(Offer)
    const rows = await db.owner<{ document: string; party_document: string }[]>`
      select document, party_document from sourcing.offers order by id limit 2000`
    expect(rows).toHaveLength(2000)
    for (const row of rows) {
      expect(isOffer.Check(JSON.parse(row.document))).toBe(true)
      expect(isOffer.Check(JSON.parse(row.party_document))).toBe(true)
    }
  })
})
