import { createMarketplace, serviceAccount } from 'marketplace-client'

/** Submits an offer of one price to each open RFQ in euros that has none of this manufacturer. */
const { MARKETPLACE_URL: url = '' } = process.env
const { MARKETPLACE_CLIENT_ID: clientId = '', MARKETPLACE_CLIENT_SECRET: clientSecret = '' } = process.env
const { UNIT_PRICE: amount = '120.00', LEAD_TIME_DAYS: leadTime = '21' } = process.env
const market = createMarketplace({ url, credentials: serviceAccount({ clientId, clientSecret }) })

const { data: factories } = await market.GET('/v1/factories', {
  params: { query: { view: 'MANUFACTURER', active: true } },
})
const [factory] = factories.items
if (!factory) throw new Error('There is no active factory.')

const view = 'MANUFACTURER' as const
for await (const rfq of market.pages('/v1/rfqs', {
  params: { query: { view, state: 'OPEN', excludeExpired: true } },
})) {
  const { data: offers } = await market.GET('/v1/offers', { params: { query: { view, rfqId: rfq.id } } })
  if (offers.items.some(({ state }) => state !== 'DRAFT') || rfq.currency !== 'EUR') continue
  // With the same key a second run gets the draft that the first one could not submit.
  const header = { 'Idempotency-Key': `answer-${rfq.id}` }
  const { data: draft } = await market.POST('/flows/v1/offers', {
    params: { header },
    body: {
      rfqId: rfq.id,
      factoryId: factory.id,
      priceBreaks: [{ minQuantity: 1, unitPrice: { amount, currency: 'EUR' }, leadTimeDays: Number(leadTime) }],
      validUntil: rfq.expireTime,
    },
  })
  const { data: offer } = await market.POST('/flows/v1/offers/{id}/submit', { params: { path: { id: draft.id } } })
  process.stdout.write(`${rfq.serialNumber} ${offer.state}\n`)
}
