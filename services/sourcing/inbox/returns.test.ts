import { expect, test } from 'bun:test'
import { inboxOf } from '../../testing/inbox.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { reawardParties } from '../../testing/reawards.ts'
import { inHours, rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { owner } = market.db
const { rival, buyer, decline, shared, awarded } = await reawardParties(market)

test('a missing quantity waits for the consumer while an offer for it stands or is asked for', async () => {
  const { rfqId, first, second, lost, orderId } = await shared()
  await decline(orderId)
  expect(await inboxOf(buyer).kinds(rfqId)).toEqual(['QUANTITY_MISSING'])
  const expire = (id: string) =>
    owner`update sourcing.offers set valid_until = now() - interval '1 second' where id = ${id}`
  await expire(second)
  await expire(first)
  expect(await inboxOf(buyer).kinds(rfqId)).toEqual(['QUANTITY_MISSING'])
  await expire(lost)
  expect(await inboxOf(buyer).kinds(rfqId)).toEqual([])
})

test('a lost offer that is asked for waits no longer once its RFQ is amended', async () => {
  const { rfqId, lost, orderId } = await awarded()
  await decline(orderId)
  const rivals = inboxOf(rival.administrator.client)
  expect(await rivals.kinds(lost)).toEqual(['OFFER_TO_REINSTATE'])
  await rfqsOf(buyer).act(rfqId, 'reopen', { expireTime: inHours(100) })
  expect(await rivals.kinds(lost)).toEqual(['OFFER_TO_REINSTATE'])
  await buyer.post(`/flows/v1/rfqs/${rfqId}/amend`, { requirements: 'Heat treated.', reason: 'Forgotten.' })
  expect(await rivals.kinds(lost)).toEqual([])
})
