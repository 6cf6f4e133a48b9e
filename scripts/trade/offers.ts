import type { OfferComparison } from '../../proto/http/sourcing/comparison.ts'
import type { Offer, OfferInput } from '../../proto/http/sourcing/offers.ts'
import type { Order } from '../../proto/http/sourcing/orders.ts'
import type { Rfq } from '../../proto/http/sourcing/rfqs.ts'
import { ask, type Page } from '../client/requests.ts'
import { CommandError } from '../toolchain/command-error.ts'
import { comparisonTable } from './comparison.ts'
import { inDays, type Narrator, withState } from './narrator.ts'
import type { Maker, Parties } from './parties.ts'

const euros = (amount: string) => ({ amount, currency: 'EUR' as const })

/** Price breaks from triples of minimum quantity, unit price and lead time in days. */
const breaks = (...lines: [minQuantity: number, amount: string, leadTimeDays: number][]) =>
  lines.map(([minQuantity, amount, leadTimeDays]) => ({ minQuantity, unitPrice: euros(amount), leadTimeDays }))

/** Sealed offers of two manufacturers, of which one revises its own. */
export async function makeOffers(
  narrator: Narrator,
  { buyer, printer, welder }: Parties,
  rfqId: string,
): Promise<void> {
  narrator.chapter('Offers')
  const submit = async ({ name, client, factory }: Maker, terms: Pick<OfferInput, 'priceBreaks' | 'toolingCost'>) => {
    const body = { rfqId, factoryId: factory.id, validUntil: inDays(60), shippingCost: euros('80'), ...terms }
    const draft = await narrator.step(
      `${name} drafts an offer`,
      () => ask<Offer>(client, 'POST', '/flows/v1/offers', body),
      withState,
    )
    return narrator.step(
      `${name} submits it`,
      () => ask<Offer>(client, 'POST', `/flows/v1/offers/${draft.id}/submit`),
      withState,
      1,
    )
  }
  await submit(printer, { priceBreaks: breaks([1, '131.5', 21], [25, '112', 28]), toolingCost: euros('250') })
  const first = await submit(welder, { priceBreaks: breaks([1, '139.90', 14]) })
  await narrator.step(
    `${buyer.name} sees two offers, but no prices while the sealed RFQ is open`,
    () => ask<Page<Offer>>(buyer.client, 'GET', `/v1/offers?view=CONSUMER&rfqId=${rfqId}`),
    ({ items }) => items.map((offer) => `${offer.id} has ${offer.priceBreaks?.length ?? 'no'} price breaks`).join(', '),
  )
  const revision = await narrator.step(
    `${welder.name} revises its offer`,
    () => ask<Offer>(welder.client, 'POST', `/flows/v1/offers/${first.id}/revise`),
    ({ id, revision: number, state }) => `${id}, revision ${number}, is ${state}`,
  )
  await narrator.step(
    `${welder.name} lowers its prices`,
    () =>
      ask<Offer>(welder.client, 'PATCH', `/flows/v1/offers/${revision.id}`, {
        priceBreaks: breaks([1, '129.90', 14], [10, '118.25', 18]),
      }),
    ({ priceBreaks = [] }) => priceBreaks.map((one) => `${one.minQuantity} at ${one.unitPrice.amount}`).join(', '),
  )
  await narrator.step(
    `${welder.name} submits the revision`,
    () => ask<Offer>(welder.client, 'POST', `/flows/v1/offers/${revision.id}/submit`),
    withState,
    // Of the offer that it replaces, too.
    2,
  )
  await narrator.step(
    'The first offer is replaced',
    () => ask<Offer>(welder.client, 'GET', `/v1/offers/${first.id}`),
    withState,
  )
}

/** The end of the RFQ: the offers are compared, and both manufacturers get a part of the quantity. */
export async function award(
  narrator: Narrator,
  { buyer, seller, printer, welder }: Parties,
  rfqId: string,
): Promise<{ printed: Order; welded: Order }> {
  narrator.chapter('The award')
  await narrator.step(
    `${buyer.name} closes the RFQ, which opens the prices`,
    () => ask<Rfq>(buyer.client, 'POST', `/flows/v1/rfqs/${rfqId}/close`),
    withState,
    1,
  )
  const comparison = await narrator.step(
    `${buyer.name} compares the offers for 50 pieces`,
    () => ask<OfferComparison>(buyer.client, 'GET', `/flows/v1/rfqs/${rfqId}/comparison?quantity=50`),
    ({ offers }) => `${offers.length} offers`,
  )
  narrator.show(comparisonTable(comparison))
  const offerOf = ({ orgId }: Maker) =>
    comparison.offers.find(({ manufacturerOrgId }) => manufacturerOrgId === orgId)?.offerId
  await narrator.step(
    `${buyer.name} awards 30 pieces to one and 20 to the other, sold by ${seller.name}`,
    () =>
      ask<Rfq>(buyer.client, 'POST', `/flows/v1/rfqs/${rfqId}/award`, {
        awards: [
          { offerId: offerOf(printer), quantity: 30 },
          { offerId: offerOf(welder), quantity: 20 },
        ],
        sellerOrgId: seller.orgId,
      }),
    withState,
    // Two assignments, and the end of the case.
    3,
  )
  const orderOf = (maker: Maker) =>
    narrator.step(
      `${maker.name} has an order`,
      async () => {
        const orders = await ask<Page<Order>>(maker.client, 'GET', '/v1/orders?view=MANUFACTURER')
        const [order] = orders.items
        if (!order) throw new CommandError('The award placed no order with this manufacturer.')
        return order
      },
      ({ id, serialNumber, quantity, unitPrice, total, dueDate }) =>
        `${id}, ${serialNumber}, ${quantity} pieces at ${unitPrice.amount}, ${total.amount} ${total.currency}, due ${dueDate}`,
    )
  return { printed: await orderOf(printer), welded: await orderOf(welder) }
}
