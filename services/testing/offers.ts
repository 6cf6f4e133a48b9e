import type { Money } from '../../proto/http/sourcing/money.ts'
import type { Offer } from '../../proto/http/sourcing/offers.ts'
import { type ApiClient, succeeded } from './client.ts'
import { createFactory } from './factories.ts'
import type { TestMarketplace } from './marketplace.ts'
import { collectionOf } from './people.ts'
import { inHours, rfqParties } from './rfqs.ts'

export const euros = (amount: string): Money => ({ amount, currency: 'EUR' })

/** The content of an offer that can be submitted. */
export const offerBody = (rfqId: string, factoryId: string, more: object = {}) => ({
  rfqId,
  factoryId,
  priceBreaks: [
    { minQuantity: 1, unitPrice: euros('120'), leadTimeDays: 21 },
    { minQuantity: 10, unitPrice: euros('95.5'), leadTimeDays: 28 },
  ],
  validUntil: inHours(96),
  ...more,
})

/** The requests about offers of one client. */
export const offersOf = (client: ApiClient) => collectionOf<Offer>(client, '/flows/v1/offers', '/v1/offers')

/** The parties of RFQs, with a factory of each manufacturer and offers of `maker`. */
export async function offerParties(market: TestMarketplace) {
  const parties = await rfqParties(market)
  const { maker, rival, open } = parties
  const [factory, rivalFactory] = await Promise.all([
    createFactory(maker.administrator.client),
    createFactory(rival.administrator.client),
  ])
  const seller = offersOf(maker.administrator.client)

  const draft = async (more: object = {}, rfqId?: string): Promise<string> => {
    return (await succeeded(seller.create(offerBody(rfqId ?? (await open()), factory.id, more)))).id
  }
  const submitted = async (more: object = {}, rfqId?: string): Promise<string> => {
    const id = await draft(more, rfqId)
    await succeeded(seller.act(id, 'submit'))
    return id
  }
  return { ...parties, factory, rivalFactory, seller, draftOffer: draft, submittedOffer: submitted }
}
