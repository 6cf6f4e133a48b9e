import { describe, expect, test } from 'bun:test'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import { awardsOf } from '../../testing/awards.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { offerParties, offersOf } from '../../testing/offers.ts'
import { rfqsOf } from '../../testing/rfqs.ts'

const market = await marketplaceOf(['sourcing'])
const { consumer, ipOwner, maker, partId, buyer, draft, open, submittedOffer } = await offerParties(market)
const invited = rfqsOf(maker.administrator.client)
const owner = rfqsOf(ipOwner.administrator.client)
const awards = awardsOf(consumer.administrator.client)

const DELIVERY = {
  name: 'Esbjerg Ship Repair',
  lines: ['Dokvej 12'],
  postalCode: '6700',
  locality: 'Esbjerg',
  regionCode: 'DK',
}
const PLACE = { locality: 'Esbjerg', regionCode: 'DK' }
const fields = ({ body }: { body: { errors?: { field: string }[] } }) => body.errors?.map(({ field }) => field)

interface Entry {
  kind: string
  changes: { field: string; before?: unknown; after?: unknown }[]
}
const historyOf = async (id: string, { administrator }: typeof maker) =>
  (await administrator.client.get<{ items: Entry[] }>(`/v1/rfqs/${id}/history`)).body.items

describe('the terms of an RFQ', () => {
  test('are optional, and all but the consumer see locality and country of the delivery alone', async () => {
    const terms = {
      requestedDeliveryDate: '2031-09-01',
      paymentTerms: '30 days net',
      delivery: DELIVERY,
      requiredDocuments: ['MATERIAL_CERTIFICATE', 'MATERIAL_CERTIFICATE'],
    }
    const id = await open(terms)
    const shared = {
      requestedDeliveryDate: '2031-09-01',
      paymentTerms: '30 days net',
      requiredDocuments: ['MATERIAL_CERTIFICATE'],
    }
    expect((await buyer.read(id)).body).toMatchObject({ ...shared, delivery: DELIVERY, version: 1, partRevision: 1 })
    for (const by of [owner, invited]) {
      const { body, text } = await by.read(id)
      expect(body).toMatchObject({ ...shared, version: 1, partRevision: 1 })
      expect<object | undefined>(body.delivery).toEqual(PLACE)
      expect(text).not.toContain('Dokvej')
    }
    for (const org of [ipOwner, maker]) {
      expect(JSON.stringify(await historyOf(id, org))).not.toContain('Dokvej')
    }
    expect(JSON.stringify(await historyOf(id, consumer))).toContain('Dokvej')
    const lists = await Promise.all([owner, invited].map((by) => by.list()))
    for (const { text } of lists) expect(text).not.toContain('Dokvej')
  })

  test('a delivery to another country than that of the RFQ is 400', async () => {
    const id = await draft()
    const elsewhere = { delivery: { ...DELIVERY, regionCode: 'NO' } }
    expect(fields(await buyer.patch(id, elsewhere))).toEqual(['delivery.regionCode'])
    const created = await buyer.create({ ...(await bodyOf(id)), ...elsewhere })
    expect([created.status, fields(created)]).toEqual([400, ['delivery.regionCode']])
    expect((await buyer.patch(id, { ...elsewhere, deliveryRegionCode: 'NO' })).status).toBe(200)
  })

  test('a draft may want the parts before it closes, but publish and amend refuse that with 409; the same day will do', async () => {
    const day = (await buyer.read(await draft())).body.expireTime.slice(0, 10)
    const dayBefore = new Date(Date.parse(day) - 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
    const early = { requestedDeliveryDate: dayBefore }
    const id = await draft(early)
    expect((await buyer.read(id)).body).toMatchObject(early)
    const refused = {
      code: 'illegal_transition',
      errors: [{ field: 'requestedDeliveryDate', message: 'must not be before the day of the expiry' }],
    }
    const published = await buyer.act(id, 'publish')
    expect([published.status, published.body]).toEqual([409, expect.objectContaining(refused)])
    expect((await buyer.patch(id, { requestedDeliveryDate: day })).status).toBe(200)
    expect((await buyer.act(id, 'publish')).status).toBe(200)
    const reason = 'Earlier.'
    const amended = await buyer.act(id, 'amend', { ...early, reason })
    expect([amended.status, amended.body]).toEqual([409, expect.objectContaining(refused)])
    const later = new Date(Date.parse(day) + 48 * 60 * 60 * 1000).toISOString()
    expect((await buyer.act(id, 'amend', { expireTime: later, reason })).status).toBe(409)
    expect((await buyer.act(id, 'amend', { requestedDeliveryDate: null, expireTime: later, reason })).status).toBe(200)
  })

  const bodyOf = async (id: string) => {
    const { quantities, expireTime, currency, deliveryRegionCode } = (await buyer.read(id)).body
    return { partId, quantities, expireTime, currency, deliveryRegionCode }
  }

  test('a bad value is 400 that names the field', async () => {
    const id = await draft()
    for (const [field, value] of [
      ['requestedDeliveryDate', '2031-02-30'],
      ['paymentTerms', 'two\nlines'],
      ['requiredDocuments', ['PROMISE']],
      ['delivery', { name: 'x' }],
    ] as const) {
      const { status, body } = await buyer.patch(id, { [field]: value })
      expect([status, body.errors?.[0]?.field.split('.')[0]]).toEqual([400, field])
    }
  })

  test('reach the order: its delivery as a whole, and the payment terms of the offer, else those of the RFQ', async () => {
    const order = async (more: object) => {
      const id = await open({ paymentTerms: '30 days net', delivery: DELIVERY })
      const offer = await submittedOffer(more, id)
      const { body } = await awards.award(id, {
        awards: [{ offerId: offer, quantity: 10, purchaseOrderNumber: '4500118' }],
      })
      return body.orders[0] as Order
    }
    const [own, theirs] = [await order({ paymentTerms: '14 days, 2 %' }), await order({})]
    expect(own).toMatchObject({ paymentTerms: '14 days, 2 %', purchaseOrderNumber: '4500118', delivery: DELIVERY })
    expect(theirs).toMatchObject({ paymentTerms: '30 days net', partRevision: 1 })
    const { body } = await maker.administrator.client.get<Order>(`/v1/orders/${own.id}`)
    expect(body).toMatchObject({ delivery: DELIVERY, purchaseOrderNumber: '4500118', partRevision: 1 })
  })

  test("a sealed offer hides the maker's reference and payment terms until the RFQ closes", async () => {
    const id = await open({ sealed: true })
    const offer = await submittedOffer({ reference: 'Q-118', paymentTerms: 'prepaid' }, id)
    const read = async (client = consumer.administrator.client) => (await offersOf(client).read(offer)).body
    expect(await read(maker.administrator.client)).toMatchObject({ reference: 'Q-118', paymentTerms: 'prepaid' })
    for (const hidden of ['reference', 'paymentTerms']) expect(await read()).not.toHaveProperty(hidden)
    await buyer.act(id, 'close')
    expect(await read()).toMatchObject({ reference: 'Q-118', paymentTerms: 'prepaid' })
  })
})
