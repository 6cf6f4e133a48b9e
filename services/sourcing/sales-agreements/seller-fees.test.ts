import { describe, expect, test } from 'bun:test'
import { awardParties, awardsOf, insertAgreement } from '../../testing/awards.ts'
import { changesOf } from '../../testing/change-requests.ts'
import type { ApiClient } from '../../testing/client.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { euros } from '../../testing/offers.ts'
import { ordersOf } from '../../testing/orders.ts'

const market = await marketplaceOf(['sourcing'])
const { owner } = market.db
const parties = await awardParties(market)
const { consumer, ipOwner, maker, rival, seller, distributor, open, offer, ordersOfRfq } = parties
const buyer = consumer.administrator.client
const { award } = awardsOf(buyer)

describe('the fee of the seller', () => {
  test.each([
    // quantity × unit price, the percentage, and the fee half-even to two decimals
    ['10', 10, '2.5', '2.50'],
    ['0.05', 10, '5', '0.02'], // 0.025
    ['0.15', 10, '5', '0.08'], // 0.075
    ['0.3333', 3, '7.77', '0.08'], // 0.07769223
    ['95.5', 10, '0', '0.00'],
    ['95.5', 10, '100', '955.00'],
  ])('of %s × %p at %s %% is %s', async (amount, quantity, percent, fee) => {
    const other = await market.organization(['SELLER'])
    await insertAgreement(owner, maker.orgId, other.orgId, percent)
    const rfqId = await open()
    const priceBreaks = [{ minQuantity: 1, unitPrice: euros(amount), leadTimeDays: 1 }]
    const awards = [{ offerId: await offer(rfqId, maker, { priceBreaks }), quantity }]
    const { body } = await award(rfqId, { awards, sellerOrgId: other.orgId })
    expect(body.orders[0]?.sellerFee).toEqual({ amount: fee, currency: 'EUR' })
  })

  test.each([
    ['JPY', '100', 7, '2.5', '18.00'], // 17.5, no decimals, half-even
    ['KWD', '1', 3, '0.15', '0.004'], // 0.0045, three decimals, half-even
  ])('in %s has the decimals of the currency', async (currency, amount, quantity, percent, fee) => {
    const other = await market.organization(['SELLER'])
    await insertAgreement(owner, maker.orgId, other.orgId, percent)
    const rfqId = await open({ currency })
    const priceBreaks = [{ minQuantity: 1, unitPrice: { amount, currency }, leadTimeDays: 1 }]
    const none = { toolingCost: undefined, shippingCost: undefined }
    const awards = [{ offerId: await offer(rfqId, maker, { priceBreaks, ...none }), quantity }]
    const { body } = await award(rfqId, { awards, sellerOrgId: other.orgId })
    expect(body.orders[0]?.sellerFee?.amount).toBe(fee)
  })

  test('is above the total, for consumer, manufacturer and seller alone, in record, lists and history', async () => {
    const rfqId = await open()
    const awards = [{ offerId: await offer(rfqId, maker), quantity: 10 }]
    const { body } = await award(rfqId, { awards, sellerOrgId: seller.orgId })
    const [order] = body.orders
    // 2.5 % of 10 × 95.50 is 23.875
    expect([order?.sellerFee?.amount, order?.total.amount]).toEqual(['23.88', '2204.90'])
    const id = order?.id as string
    for (const [org, sees] of [
      [consumer, true],
      [maker, true],
      [seller, true],
      [ipOwner, false],
      [distributor, false],
    ] as const) {
      const client = org.administrator.client
      const texts = await Promise.all([
        ordersOf(client)
          .read(id)
          .then(({ text }) => text),
        ...['/v1/orders?pageSize=50', `/flows/v1/orders?rfqId=${rfqId}`, '/flows/v1/orders?q=Impeller&pageSize=50'].map(
          async (url) => (await client.get(url)).text,
        ),
      ])
      expect([org.orgId, ...texts.map((text) => text.includes('"23.88"'))]).toEqual([
        org.orgId,
        ...texts.map(() => sees),
      ])
      for (const url of [`/v1/orders/${id}/history?pageSize=50`, '/flows/v1/assignments?pageSize=50']) {
        expect((await client.get(url)).text).not.toContain('sellerFee')
      }
    }
  })

  test('is in the answers of steps for those who see it, and not in those for the IP owner', async () => {
    const rfqId = await open()
    await award(rfqId, { awards: [{ offerId: await offer(rfqId, maker), quantity: 10 }], sellerOrgId: seller.orgId })
    const id = (await ordersOfRfq(rfqId))[0]?.id as string
    expect((await ordersOf(maker.administrator.client).act(id, 'confirm')).body.sellerFee?.amount).toBe('23.88')
    expect((await ordersOf(ipOwner.administrator.client).act(id, 'release-files')).text).not.toContain('sellerFee')
  })

  test('is fixed at the award: a change of quantity or price and a settlement keep it', async () => {
    const rfqId = await open()
    await award(rfqId, { awards: [{ offerId: await offer(rfqId, maker), quantity: 10 }], sellerOrgId: seller.orgId })
    const id = (await ordersOfRfq(rfqId))[0]?.id as string
    const { body } = await changesOf(buyer).create(id, { quantity: 8, unitPrice: euros('100') })
    await changesOf(maker.administrator.client).act(id, body.id, 'accept')
    expect((await ordersOf(buyer).read(id)).body.sellerFee?.amount).toBe('23.88')
    await owner`update sourcing.orders set state = 'DELIVERED', shipped_quantity = 8, accepted_quantity = 6,
      rejected_quantity = 2 where id = ${id}`
    const settled = await ordersOf(buyer).act(id, 'complete', { settle: true })
    // 6 × 100 + 1200 + 49.90
    expect([settled.body.settledTotal?.amount, settled.body.sellerFee?.amount]).toEqual(['1849.90', '23.88'])
  })

  test('is in the comparison for the consumer that chooses a seller', async () => {
    const other = await market.organization(['SELLER'])
    await insertAgreement(owner, maker.orgId, other.orgId, '10')
    const rfqId = await open()
    const [first] = [await offer(rfqId, maker), await offer(rfqId, rival)]
    type Comparison = { offers: { offerId: string; sellerFee?: { amount: string } }[] }
    const feesFor = async (client: ApiClient, query: string) =>
      (await client.get<Comparison>(`/flows/v1/rfqs/${rfqId}/comparison?quantity=10${query}`)).body.offers.flatMap(
        ({ offerId, sellerFee }) => (sellerFee ? [[offerId, sellerFee.amount]] : []),
      )
    expect(await feesFor(buyer, `&sellerOrgId=${other.orgId}`)).toEqual([[first, '95.50']])
    expect(await feesFor(buyer, '')).toEqual([])
    expect(await feesFor(buyer, '&sellerOrgId=org_unknown')).toEqual([])
    expect(await feesFor(ipOwner.administrator.client, `&sellerOrgId=${other.orgId}`)).toEqual([])
  })
})
