import { expect, test } from 'bun:test'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { offerParties, offersOf } from '../../testing/offers.ts'
import { inHours } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, buyer, seller, open, submittedOffer } = await offerParties(market)
const readers = [consumer, ipOwner].map(({ administrator }) => offersOf(administrator.client))

/** Whether consumer and IP owner see prices and notes of each offer, in the record and in the list. */
const arePriced = async (rfqId: string, ids: readonly string[]) =>
  Promise.all(
    ids.map(async (id) => {
      const seen = await Promise.all(
        readers.flatMap(({ read, list }) => [
          read(id).then(({ body }) => body),
          list(`?rfqId=${rfqId}&pageSize=50`).then(({ body }) => body.items.find((offer) => offer.id === id)),
        ]),
      )
      const priced = new Set(seen.map((offer) => 'priceBreaks' in (offer ?? {}) && 'notes' in (offer ?? {})))
      expect([priced.size, (await seller.read(id)).body.notes]).toEqual([1, 'A note.'])
      return [...priced][0]
    }),
  )

test('what a manufacturer took back before a sealed RFQ closed stays without prices for consumer and IP owner', async () => {
  const rfqId = await open({ sealed: true })
  const notes = { notes: 'A note.' }
  const offer = async () => submittedOffer(notes, rfqId)
  const [kept, withdrawn, superseded, rejected] = [await offer(), await offer(), await offer(), await offer()]
  await seller.act(withdrawn, 'withdraw')
  const { id: revision } = (await seller.act(superseded, 'revise')).body
  await seller.act(revision, 'submit')
  await offersOf(consumer.administrator.client).act(rejected, 'reject')
  const first = [kept, withdrawn, superseded, rejected, revision]
  expect(await arePriced(rfqId, first)).toEqual([false, false, false, false, false])
  await buyer.act(rfqId, 'close')
  expect(await arePriced(rfqId, first)).toEqual([true, false, false, true, true])

  // What was readable once is hidden while the RFQ is open again, and shown again after that.
  const later = await offer().catch(() => undefined)
  expect(later).toBeUndefined()
  await buyer.act(rfqId, 'reopen', { expireTime: inHours(100) })
  expect(await arePriced(rfqId, first)).toEqual([false, false, false, false, false])
  const [second, third] = [await offer(), await offer()]
  await seller.act(kept, 'withdraw')
  await seller.act(second, 'withdraw')
  await buyer.act(rfqId, 'close')
  expect(await arePriced(rfqId, [...first, second, third])).toEqual([true, false, false, true, true, false, true])
  await buyer.act(rfqId, 'cancel', { reason: 'Sold.' })
  expect(await arePriced(rfqId, [...first, second, third])).toEqual([true, false, false, true, true, false, true])
})

test('of an RFQ that is not sealed, withdrawn and superseded offers keep their prices', async () => {
  const rfqId = await open()
  const [withdrawn, superseded] = [
    await submittedOffer({ notes: 'A note.' }, rfqId),
    await submittedOffer({ notes: 'A note.' }, rfqId),
  ]
  await seller.act(withdrawn, 'withdraw')
  const { id: revision } = (await seller.act(superseded, 'revise')).body
  await seller.act(revision, 'submit')
  expect(await arePriced(rfqId, [withdrawn, superseded, revision])).toEqual([true, true, true])
  await buyer.act(rfqId, 'close')
  expect(await arePriced(rfqId, [withdrawn, superseded, revision])).toEqual([true, true, true])
})
