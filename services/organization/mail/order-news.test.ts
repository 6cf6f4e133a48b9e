import { expect, test } from 'bun:test'
import { awardsOf } from '../../testing/awards.ts'
import { changesOf } from '../../testing/change-requests.ts'
import { marketplaceWithMail } from '../../testing/mail/market.ts'
import { offerBody, offerParties, offersOf } from '../../testing/offers.ts'
import { ordersOf } from '../../testing/orders.ts'
import { shipmentsOf } from '../../testing/shipments.ts'

const { market, confirmed, collected } = await marketplaceWithMail(['sourcing'])
const { consumer, ipOwner, maker, rival, open, submittedOffer, rivalFactory } = await offerParties(market)
const { client: buyer } = consumer.administrator
const made = ordersOf(maker.administrator.client)

/** An order of `maker` for ten pieces, and the offer of `rival` that lost. */
async function ordered() {
  const rfqId = await open({ manufacturerIds: [maker.orgId, rival.orgId] })
  const rivals = offersOf(rival.administrator.client)
  const lost = (await rivals.create(offerBody(rfqId, rivalFactory.id))).body.id
  await rivals.act(lost, 'submit')
  const offerId = await submittedOffer({}, rfqId)
  await awardsOf(buyer).award(rfqId, { awards: [{ offerId, quantity: 10 }] })
  const [{ id }] = await market.db.owner<[{ id: string }]>`select id from sourcing.orders where rfq_id = ${rfqId}`
  return { id, lost }
}

test('shipments, receipts, remakes and accepted changes are mailed to the parties, proposals to both sides alone', async () => {
  const { id } = await ordered()
  await made.act(id, 'confirm')
  await made.act(id, 'start')
  const [buying, making, owning] = [
    await confirmed(consumer, ['ORDERS']),
    await confirmed(maker, ['ORDERS']),
    await confirmed(ipOwner, ['ORDERS']),
  ]
  const { body: change } = await changesOf(buyer).create(id, { quantity: 8 })
  await changesOf(maker.administrator.client).act(id, change.id, 'accept')
  const { body: shipment } = await shipmentsOf(maker.administrator.client).create(id, { quantity: 4 })
  await shipmentsOf(buyer).receive(id, shipment.id, { acceptedQuantity: 3, rejectedQuantity: 1 })
  await made.act(id, 'remake', { quantity: 1 })
  await ordersOf(buyer).act(id, 'decline-remake')
  const shared = ['orderChanged', 'shipmentCreated', 'shipmentReceived', 'remakeProposed', 'remakeDeclined']
  expect(await collected(buying, 6)).toEqual(['changeProposed', ...shared])
  expect(await collected(making, 6)).toEqual(['changeProposed', ...shared])
  expect(await collected(owning, 5)).toEqual(shared)
})

test('an accepted remake is mailed to the parties, also where the order is in production already', async () => {
  const { id } = await ordered()
  await made.act(id, 'confirm')
  await made.act(id, 'start')
  const { body: shipment } = await shipmentsOf(maker.administrator.client).create(id, { quantity: 4 })
  await shipmentsOf(buyer).receive(id, shipment.id, { acceptedQuantity: 3, rejectedQuantity: 1 })
  const addresses = [
    await confirmed(consumer, ['ORDERS']),
    await confirmed(maker, ['ORDERS']),
    await confirmed(ipOwner, ['ORDERS']),
  ]
  await made.act(id, 'remake', { quantity: 1 })
  expect((await ordersOf(buyer).act(id, 'accept-remake')).body.state).toBe('IN_PRODUCTION')
  for (const address of addresses) expect(await collected(address, 2)).toEqual(['remakeProposed', 'remakeAccepted'])
})

test('the case that rejected pieces open is mailed once to each other party', async () => {
  const { id } = await ordered()
  await made.act(id, 'confirm')
  await made.act(id, 'start')
  const { body: shipment } = await shipmentsOf(maker.administrator.client).create(id, { quantity: 4 })
  const [buying, making, owning] = [
    await confirmed(consumer, ['ORDERS', 'CASES']),
    await confirmed(maker, ['ORDERS', 'CASES']),
    await confirmed(ipOwner, ['CASES']),
  ]
  await shipmentsOf(buyer).receive(id, shipment.id, { acceptedQuantity: 3, rejectedQuantity: 1 })
  await made.act(id, 'remake', { quantity: 1 })
  expect(await collected(making, 3)).toEqual(['shipmentReceived', 'caseOpened', 'remakeProposed'])
  expect(await collected(owning, 1)).toEqual(['caseOpened'])
  expect(await collected(buying, 2)).toEqual(['shipmentReceived', 'remakeProposed'])
})

test('a lost award is mailed to the consumer, and to the manufacturer whose offer is asked for again', async () => {
  const { id, lost } = await ordered()
  const [buying, losing] = [await confirmed(consumer, ['AWARDS', 'OFFERS']), await confirmed(rival, ['OFFERS'])]
  await made.act(id, 'decline', { reason: 'The machine is broken.' })
  expect(await collected(losing, 1)).toEqual(['offerAskedFor'])
  await offersOf(rival.administrator.client).act(lost, 'reinstate')
  expect(await collected(buying, 2)).toEqual(['rfqReturned', 'offerReinstated'])
})

test('a sales agreement is mailed to the organization that did not propose or end it', async () => {
  const [making, selling] = await Promise.all([market.organization(['MANUFACTURER']), market.organization(['SELLER'])])
  const [maker, seller] = [await confirmed(making, ['CASES']), await confirmed(selling, ['CASES'])]
  const body = { manufacturerOrgId: making.orgId, sellerOrgId: selling.orgId, feePercent: '2.5' }
  const { id } = (await making.administrator.client.post<{ id: string }>('/flows/v1/sales-agreements', body)).body
  await selling.administrator.client.post(`/flows/v1/sales-agreements/${id}/accept`)
  await making.administrator.client.post(`/flows/v1/sales-agreements/${id}/end`)
  expect(await collected(seller, 2)).toEqual(['agreementProposed', 'agreementEnded'])
  expect(await collected(maker, 1)).toEqual(['agreementAccepted'])
})
