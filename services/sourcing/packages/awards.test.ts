import { describe, expect, test } from 'bun:test'
import { insertAgreement } from '../../testing/awards.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { euros, offersOf } from '../../testing/offers.ts'
import { lineOffer, packageParties, rfqIdsOf } from '../../testing/packages.ts'

const market = await marketplaceOf(['sourcing'])
const parties = await packageParties(market)
const { consumer, maker, rival, stranger, factoryId, rivalFactoryId, packages, rfqs, open, makers, rivals } = parties

/** A package of three lines, with an offer of the maker for each and of the rival for the first two. */
async function offered(more: object = {}) {
  const pkg = await open(more)
  const ids = rfqIdsOf(pkg)
  const own = await makers.offer(pkg.id, {
    lines: ids.map((rfqId) => lineOffer(rfqId, factoryId, '10', 20, { toolingCost: euros('100') })),
    submit: true,
  })
  const others = await rivals.offer(pkg.id, {
    lines: ids.slice(0, 2).map((rfqId) => lineOffer(rfqId, rivalFactoryId, '11')),
    submit: true,
  })
  return { id: pkg.id, ids, own: own.body.items.map((one) => one.id), others: others.body.items.map((one) => one.id) }
}

const ordersOf = async (ids: readonly string[]) => {
  const rows = await market.db.owner<{ rfq_id: string }[]>`
    select rfq_id from sourcing.orders where rfq_id = any(${[...ids]}) order by id`
  return rows.map(({ rfq_id }) => rfq_id)
}
const statesOf = async (id: string) => (await packages.read(id)).body.lines.map(({ state }) => state)

describe('POST /flows/v1/rfq-packages/{id}/award', () => {
  test('awards the RFQs that it names, and leaves the others as they are', async () => {
    const { id, ids, own, others } = await offered()
    const [first = '', second = '', third = ''] = ids
    const { status, body } = await packages.award(id, {
      awards: [
        { rfqId: second, offerId: others[1], quantity: 50, purchaseOrderNumber: '4500119' },
        { rfqId: first, offerId: own[0], quantity: 10, purchaseOrderNumber: '4500118' },
      ],
    })
    expect(status).toBe(200)
    expect(body.lines.map(({ rfqId, state }) => [rfqId, state])).toEqual([
      [first, 'AWARDED'],
      [second, 'AWARDED'],
      [third, 'OPEN'],
    ])
    expect(body.orders).toMatchObject([
      {
        rfqId: first,
        offerId: own[0],
        quantity: 10,
        total: euros('200.00'),
        purchaseOrderNumber: '4500118',
        manufacturerOrgId: maker.orgId,
      },
      {
        rfqId: second,
        offerId: others[1],
        quantity: 50,
        total: euros('550.00'),
        purchaseOrderNumber: '4500119',
        manufacturerOrgId: rival.orgId,
      },
    ])
    const client = offersOf(consumer.administrator.client)
    expect((await client.read(own[1] ?? '')).body.state).toBe('REJECTED')
    expect((await client.read(own[2] ?? '')).body.state).toBe('SUBMITTED')
    expect((await rfqs.read(first)).body.awardedOfferIds).toEqual([own[0] as string])
    expect((await makers.read(id)).body.lines.map(({ state }) => state)).toEqual(['AWARDED', 'AWARDED', 'OPEN'])
  })

  test('takes several offers for one RFQ, whose sum is at most its largest quantity', async () => {
    const { id, ids, own, others } = await offered()
    const awards = [
      { rfqId: ids[0], offerId: own[0], quantity: 30 },
      { rfqId: ids[1], offerId: own[1], quantity: 1 },
      { rfqId: ids[0], offerId: others[0], quantity: 21 },
    ]
    const refused = await packages.award(id, { awards })
    expect({ status: refused.status, errors: refused.body.errors }).toEqual({
      status: 409,
      errors: [
        { field: 'awards.0.quantity', message: 'must be at most 50 pieces together, the largest quantity of the RFQ' },
      ],
    })
    expect(await ordersOf(ids)).toEqual([])
    const placed = await packages.award(id, { awards: awards.map((one) => ({ ...one, quantity: 20 })) })
    expect(placed.body.orders.map(({ rfqId, offerId }) => [rfqId, offerId])).toEqual([
      [ids[0] as string, own[0] as string],
      [ids[0] as string, others[0] as string],
      [ids[1] as string, own[1] as string],
    ])
  })

  test('names every award that is refused, and then places no order', async () => {
    const { id, ids, own, others } = await offered()
    await offersOf(rival.administrator.client).act(others[0] ?? '', 'withdraw')
    await rfqs.act(ids[2] ?? '', 'cancel', { reason: 'Sold.' })
    const { status, body } = await packages.award(id, {
      awards: [
        { rfqId: ids[1], offerId: own[1], quantity: 10 },
        { rfqId: ids[2], offerId: own[2], quantity: 10 },
        { rfqId: ids[0], offerId: others[0], quantity: 10 },
      ],
    })
    expect({ status, detail: body.detail, errors: body.errors }).toEqual({
      status: 409,
      detail: `Nothing was changed, because of awards.1.rfqId (${ids[2]}), awards.2.rfqId (${ids[0]}).`,
      errors: [
        { field: 'awards.1.rfqId', message: 'The RFQ is CANCELLED, not OPEN or CLOSED.' },
        { field: 'awards.2.offerId', message: 'is WITHDRAWN, not SUBMITTED' },
      ],
    })
    expect(await ordersOf(ids)).toEqual([])
    expect(await statesOf(id)).toEqual(['OPEN', 'OPEN', 'CANCELLED'])
  })

  test('an RFQ that is no line, an offer for another line and a draft are 400, like unknown ones', async () => {
    const { id, ids, own } = await offered()
    const other = await offered()
    const draft = await rivals.offer(id, { lines: [lineOffer(ids[0] ?? '', rivalFactoryId, '1')] })
    const { status, body } = await packages.award(id, {
      awards: [
        { rfqId: other.ids[0], offerId: other.own[0], quantity: 1 },
        { rfqId: 'rfq_unknown', offerId: own[0], quantity: 1 },
        { rfqId: ids[0], offerId: own[1], quantity: 1 },
        { rfqId: ids[1], offerId: draft.body.items[0]?.id, quantity: 1 },
        { rfqId: ids[2], offerId: other.own[0], quantity: 1 },
      ],
      sellerOrgId: stranger.orgId,
    })
    expect({ status, fields: body.errors?.map(({ field }) => field) }).toEqual({
      status: 400,
      fields: ['awards.0.rfqId', 'awards.1.rfqId', 'awards.2.offerId', 'awards.3.offerId', 'awards.4.offerId'],
    })
    const unknownSeller = await packages.award(id, {
      awards: [{ rfqId: ids[0], offerId: own[0], quantity: 1 }],
      sellerOrgId: 'org_unknown',
    })
    expect(unknownSeller.body.errors?.map(({ field }) => field)).toEqual(['sellerOrgId'])
  })

  test('a sealed line must have closed first, and the refusal tells no price break', async () => {
    const { id, ids, own } = await offered({ sealed: true })
    const awards = [{ rfqId: ids[0], offerId: own[0], quantity: 1 }]
    const { status, body } = await packages.award(id, { awards })
    expect({ status, errors: body.errors }).toEqual({
      status: 409,
      errors: [
        {
          field: 'awards.0.rfqId',
          message: 'The RFQ is sealed and OPEN. Close it, compare the prices, then award it.',
        },
      ],
    })
    await packages.act(id, 'close')
    expect((await packages.award(id, { awards })).status).toBe(200)
  })

  test('places every order for the seller that it names', async () => {
    const { id, ids, own } = await offered()
    const request = {
      awards: ids.map((rfqId, index) => ({ rfqId, offerId: own[index], quantity: 10 })),
      sellerOrgId: stranger.orgId,
    }
    expect((await packages.award(id, request)).status).toBe(409)
    await insertAgreement(market.db.owner, maker.orgId, stranger.orgId, '2.5')
    const { body } = await packages.award(id, request)
    expect(body.orders.map(({ sellerOrgId }) => sellerOrgId)).toEqual([stranger.orgId, stranger.orgId, stranger.orgId])
    expect(await statesOf(id)).toEqual(['AWARDED', 'AWARDED', 'AWARDED'])
    const assignments = await market.db
      .owner`select id from sourcing.assignments where order_id = any(${body.orders.map((one) => one.id)})`
    expect(assignments.length).toBe(3)
  })

  test('closes the cases of an awarded line, except that of the winner', async () => {
    const { id, ids, own } = await offered()
    await packages.award(id, { awards: [{ rfqId: ids[0], offerId: own[0], quantity: 10 }] })
    const rows = await market.db.owner<{ rfq_id: string; org_id: string; state: string }[]>`
      select rfq_id, org_id, state from sourcing.cases where rfq_id = any(${ids})`
    const open = rows.filter(({ rfq_id: rfqId, state }) => rfqId === ids[0] && state === 'OPEN')
    expect(open.map(({ org_id: orgId }) => orgId)).toEqual([maker.orgId])
    expect(rows.filter(({ rfq_id: rfqId, state }) => rfqId !== ids[0] && state !== 'OPEN')).toEqual([])
  })
})
