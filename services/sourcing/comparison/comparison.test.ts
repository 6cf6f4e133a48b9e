import { expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { OfferComparison } from '../../../proto/http/sourcing/comparison.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { euros, offerBody, offerParties, offersOf } from '../../testing/offers.ts'
import type { Problem } from '../../testing/people.ts'

const market = await marketplaceOf(['sourcing'])
const parties = await offerParties(market)
const {
  consumer,
  ipOwner,
  maker,
  rival,
  stranger,
  buyer,
  open,
  draft,
  rivalFactory,
  seller,
  draftOffer,
  submittedOffer,
} = parties
const competitor = offersOf(rival.administrator.client)
const isComparison = TypeCompiler.Compile(OfferComparison)

const compare = (rfqId: string, query = '', by = consumer, headers: Record<string, string> = {}) =>
  by.administrator.client.get<OfferComparison & Problem>(`/flows/v1/rfqs/${rfqId}/comparison${query}`, { headers })

const rfqId = await open({ manufacturerIds: [maker.orgId, rival.orgId] })
const own = await submittedOffer(
  { shippingCost: euros('100'), notes: 'The price of the powder is not confirmed.' },
  rfqId,
)
const { id: rivals } = (
  await competitor.create(
    offerBody(rfqId, rivalFactory.id, {
      priceBreaks: [{ minQuantity: 20, unitPrice: euros('96'), leadTimeDays: 40 }],
      toolingCost: euros('10'),
      shippingCost: euros('0'),
    }),
  )
).body
await competitor.act(rivals, 'submit')
await draftOffer({}, rfqId)
await seller.act(await submittedOffer({}, rfqId), 'withdraw')

test('consumer and IP owner compare the submitted offers at the largest quantity of the RFQ', async () => {
  const { status, body } = await compare(rfqId)
  expect(status).toBe(200)
  expect(isComparison.Check(body)).toBe(true)
  expect([body.quantity, body.currency, body.hasMore]).toEqual([50, 'EUR', false])
  expect(
    body.offers.map(({ offerId, landedTotal, manufacturerOrgId }) => [offerId, landedTotal, manufacturerOrgId]),
  ).toEqual([
    [rivals, euros('4810.00'), rival.orgId],
    [own, euros('4875.00'), maker.orgId],
  ])
  expect(body.offers.map(({ best }) => best.filter((field) => field !== 'validUntil'))).toEqual([
    ['shippingCost', 'landedTotal'],
    ['unitPrice', 'goodsTotal', 'leadTimeDays'],
  ])
  expect(body.offers.map(({ toolingCost, shippingCost, notes }) => [toolingCost, shippingCost, notes])).toEqual([
    [euros('10.00'), euros('0.00'), undefined],
    [undefined, euros('100.00'), 'The price of the powder is not confirmed.'],
  ])
  expect((await compare(rfqId, '', ipOwner)).text).toBe((await compare(rfqId)).text)
})

test('at another quantity an offer without a price for it says so', async () => {
  const { body } = await compare(rfqId, '?quantity=19')
  expect(body.offers.map(({ offerId, unpriced }) => [offerId, unpriced])).toEqual([
    [own, undefined],
    [rivals, 'BELOW_MIN_QUANTITY'],
  ])
})

test.each(['0', '-1', '1.5', '1e2', '', '1000000001', 'many'])('the quantity %p is 400', async (quantity) => {
  const answer = await compare(rfqId, `?quantity=${quantity}`)
  expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, 'quantity'])
})

test('for manufacturers and strangers it is 404 like an unknown RFQ; a draft RFQ has no offers', async () => {
  const bare = (text: string) => text.replace(/"(requestId|instance)":"[^"]*"/g, '')
  const unknown = await compare('rfq_unknown')
  for (const by of [maker, rival, stranger]) {
    const answer = await compare(rfqId, '', by)
    expect([answer.status, bare(answer.text)]).toEqual([404, bare(unknown.text)])
  }
  const drafted = await draft()
  expect((await compare(drafted)).body.offers).toEqual([])
  expect((await compare(drafted, '', ipOwner)).status).toBe(404)
})

test('a sealed and OPEN RFQ shows its offers without amounts, and with them once it is closed', async () => {
  const sealed = await open({ sealed: true })
  const id = await submittedOffer({ toolingCost: euros('5'), notes: 'Turned from bar at 4711.' }, sealed)
  const { body, text } = await compare(sealed)
  expect(text).not.toContain('4711')
  expect(body.offers).toHaveLength(1)
  expect(body.offers[0]).toMatchObject({ offerId: id, unpriced: 'SEALED', best: [] })
  for (const field of ['unitPrice', 'toolingCost', 'landedTotal']) expect(body.offers[0]).not.toHaveProperty(field)
  await buyer.act(sealed, 'close')
  expect((await compare(sealed)).body.offers[0]).toMatchObject({
    landedTotal: euros('4780.00'),
    notes: 'Turned from bar at 4711.',
  })
})

test('an offer whose validity has passed is not compared', async () => {
  const fresh = await open()
  const id = await submittedOffer({}, fresh)
  expect((await compare(fresh)).body.offers.map(({ offerId }) => offerId)).toEqual([id])
  await market.db.owner`update sourcing.offers set valid_until = now() - interval '1 second' where id = ${id}`
  expect((await compare(fresh)).body.offers).toEqual([])
})

test('the export is the same comparison as CSV, whatever Accept says, for the same readers', async () => {
  const download = (by: typeof consumer, accept: string, query = '') =>
    compare(rfqId, `/export${query}`, by, { accept })
  for (const accept of ['*/*', 'application/json', 'text/csv']) {
    const { status, headers, text } = await download(consumer, accept)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="comparison-R-\w{8}\.csv"$/)
    expect(text.split('\r\n')[0]).toBe(`Offer,${rivals},${own},Best`)
  }
  expect((await download(consumer, '*/*', '?quantity=30')).text).toContain('Quantity,30,30,')
  expect((await download(consumer, '*/*', '?quantity=0')).status).toBe(400)
  expect((await download(stranger, '*/*')).status).toBe(404)
  expect((await compare(rfqId, '', consumer, { accept: 'text/csv' })).headers.get('content-type')).toBe(
    'application/json',
  )
})
