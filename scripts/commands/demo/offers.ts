import type { OfferInput, Order } from '../../../proto/clients/typescript/src/index.ts'
import { CommandError } from '../../toolchain/command-error.ts'
import { comparisonTable } from './comparison.ts'
import { type Narrator, withState } from './narrator.ts'
import type { Maker, Parties } from './parties.ts'
import { euros, inDays } from './values.ts'

const LIVE = { params: { query: { state: 'ACTIVE', pageSize: 50 } } } as const

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
      () => client.POST('/flows/v1/offers', { body }),
      withState,
    )
    const params = { path: { id: draft.data.id } }
    await narrator.step(
      `${name} submits it`,
      () => client.POST('/flows/v1/offers/{id}/submit', { params }),
      withState,
      1,
    )
    return params
  }
  await submit(printer, { priceBreaks: breaks([1, '131.5', 21], [25, '112', 28]), toolingCost: euros('250') })
  const first = await submit(welder, { priceBreaks: breaks([1, '139.90', 14]) })
  await narrator.step(
    `${buyer.name} sees two offers, but no prices while the sealed RFQ is open`,
    () => buyer.client.GET('/v1/offers', { params: { query: { view: 'CONSUMER', rfqId } } }),
    ({ data }) =>
      data.items.map((offer) => `${offer.id} has ${offer.priceBreaks?.length ?? 'no'} price breaks`).join(', '),
  )
  const revision = await narrator.step(
    `${welder.name} revises its offer`,
    () => welder.client.POST('/flows/v1/offers/{id}/revise', { params: first }),
    ({ data }) => `${data.id}, revision ${data.revision}, is ${data.state}`,
  )
  const params = { path: { id: revision.data.id } }
  await narrator.step(
    `${welder.name} lowers its prices`,
    () =>
      welder.client.PATCH('/flows/v1/offers/{id}', {
        params,
        body: { priceBreaks: breaks([1, '129.90', 14], [10, '118.25', 18]) },
      }),
    ({ data: { priceBreaks = [] } }) =>
      priceBreaks.map((one) => `${one.minQuantity} at ${one.unitPrice.amount}`).join(', '),
  )
  await narrator.step(
    `${welder.name} submits the revision`,
    () => welder.client.POST('/flows/v1/offers/{id}/submit', { params }),
    withState,
    // Including that of the offer that it replaces.
    2,
  )
  await narrator.step(
    'The first offer is replaced',
    () => welder.client.GET('/v1/offers/{id}', { params: first }),
    withState,
  )
}

/** The buyer corrects the RFQ, and both manufacturers reconfirm their offers for its new version. */
export async function amend(narrator: Narrator, { buyer, printer, welder }: Parties, rfqId: string): Promise<void> {
  narrator.chapter('An amendment')
  const body = { quantities: [20, 50], reason: 'Ten pieces are still in the store.' }
  await narrator.step(
    `${buyer.name} asks for 20 pieces instead of 10, with the reason`,
    () => buyer.client.POST('/flows/v1/rfqs/{id}/amend', { params: { path: { id: rfqId } }, body }),
    ({ data }) => `version ${data.version} of revision ${data.partRevision} of the part`,
    1,
  )
  for (const { name, client } of [printer, welder]) {
    const { data: offers } = await narrator.step(
      `${name} finds its offer outdated`,
      () => client.GET('/v1/offers', { params: { query: { view: 'MANUFACTURER', rfqId, state: 'SUBMITTED' } } }),
      ({ data }) => data.items.map(({ id, isOutdated }) => `${id}: ${isOutdated ? 'outdated' : 'current'}`).join(', '),
    )
    const params = { path: { id: offers.items[0]?.id ?? '' } }
    await narrator.step(
      `${name} reconfirms it`,
      () => client.POST('/flows/v1/offers/{id}/reconfirm', { params }),
      withState,
      1,
    )
  }
}

/** The end of the RFQ: the offers are compared, and both manufacturers get a part of the quantity. */
export async function award(
  narrator: Narrator,
  { buyer, seller, printer, welder }: Parties,
  rfqId: string,
): Promise<{ printed: Order; welded: Order }> {
  narrator.chapter('The award')
  const path = { id: rfqId }
  await narrator.step(
    `${buyer.name} closes the RFQ, which opens the prices`,
    () => buyer.client.POST('/flows/v1/rfqs/{id}/close', { params: { path } }),
    withState,
    1,
  )
  const { data: comparison } = await narrator.step(
    `${buyer.name} compares the offers for 50 pieces`,
    () => buyer.client.GET('/flows/v1/rfqs/{id}/comparison', { params: { path, query: { quantity: 50 } } }),
    ({ data }) => `${data.offers.length} offers`,
  )
  narrator.show(comparisonTable(comparison))
  const offerOf = ({ orgId, name }: Maker): string => {
    const offer = comparison.offers.find(({ manufacturerOrgId }) => manufacturerOrgId === orgId)
    if (!offer) throw new CommandError(`The comparison has no offer of ${name}.`)
    return offer.offerId
  }
  for (const maker of [printer, welder]) {
    await narrator.step(
      `${seller.name} agrees with ${maker.name} to sell its parts`,
      async () => {
        // Those of ./scripts/dev may have one already.
        const { data: known } = await seller.client.GET('/flows/v1/sales-agreements', LIVE)
        const live = known.items.find(({ manufacturerOrgId }) => manufacturerOrgId === maker.orgId)
        if (live) return { data: live }
        const body = { manufacturerOrgId: maker.orgId, sellerOrgId: seller.orgId, feePercent: '2.5' }
        const { data: proposed } = await seller.client.POST('/flows/v1/sales-agreements', { body })
        return maker.client.POST('/flows/v1/sales-agreements/{id}/accept', { params: { path: { id: proposed.id } } })
      },
      ({ data }) => `${data.state}, ${data.feePercent} %`,
    )
  }
  const { data: awarded } = await narrator.step(
    `${buyer.name} awards 30 pieces to one and 20 to the other, sold by ${seller.name}`,
    () =>
      buyer.client.POST('/flows/v1/rfqs/{id}/award', {
        params: { path },
        body: {
          awards: [
            { offerId: offerOf(printer), quantity: 30 },
            { offerId: offerOf(welder), quantity: 20 },
          ],
          sellerOrgId: seller.orgId,
        },
      }),
    withState,
    // Two assignments, and the end of the case.
    3,
  )
  const orderOf = (maker: Maker) =>
    narrator.step(
      `${maker.name} has an order`,
      async () => {
        const placed = awarded.orders.find(({ manufacturerOrgId }) => manufacturerOrgId === maker.orgId)
        if (!placed) throw new CommandError('The award placed no order with this manufacturer.')
        return (await maker.client.GET('/v1/orders/{id}', { params: { path: { id: placed.id } } })).data
      },
      ({ id, serialNumber, quantity, unitPrice, total, dueDate }) =>
        `${id}, ${serialNumber}, ${quantity} pieces at ${unitPrice.amount}, ${total.amount} ${total.currency}, due ${dueDate}`,
    )
  return { printed: await orderOf(printer), welded: await orderOf(welder) }
}
