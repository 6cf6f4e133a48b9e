import type { AwardedRfq } from '../../proto/http/sourcing/awards.ts'
import { awardParties, awardsOf } from './awards.ts'
import type { ApiClient } from './client.ts'
import type { TestMarketplace, TestOrganization } from './marketplace.ts'
import { offersOf } from './offers.ts'
import { ordersOf } from './orders.ts'
import type { Answer } from './people.ts'

/** The organizations of awards whose orders are lost and placed again. */
export async function reawardParties(market: TestMarketplace) {
  const parties = await awardParties(market)
  const { consumer, maker, rival, open, offer, ordersOfRfq } = parties
  const buyer = consumer.administrator.client
  const { award } = awardsOf(buyer)
  const reawardBy = (client: ApiClient, rfqId: string, body: object): Answer<AwardedRfq> =>
    client.post(`/flows/v1/rfqs/${rfqId}/reaward`, body)
  const reaward = (rfqId: string, offerId: string, quantity: number) =>
    reawardBy(buyer, rfqId, { awards: [{ offerId, quantity }] })
  const reinstate = ({ administrator }: TestOrganization, offerId: string) =>
    offersOf(administrator.client).act(offerId, 'reinstate')
  const decline = (orderId: string, { administrator }: TestOrganization = maker) =>
    ordersOf(administrator.client).act(orderId, 'decline', { reason: 'The machine is broken.' })
  const stateOf = async (offerId: string) => (await offersOf(buyer).read(offerId)).body.state

  /** An RFQ that is awarded to the maker; the rival has lost. */
  async function awarded(quantity = 10) {
    const rfqId = await open()
    const [won, lost] = [await offer(rfqId, maker), await offer(rfqId, rival)]
    await award(rfqId, { awards: [{ offerId: won, quantity }] })
    const [order] = await ordersOfRfq(rfqId)
    return { rfqId, won, lost, orderId: order?.id as string }
  }

  /** An RFQ that is awarded to both: ten pieces each. A third offer, of the rival, has lost. */
  async function shared() {
    const rfqId = await open()
    const [first, second, lost] = [await offer(rfqId, maker), await offer(rfqId, rival), await offer(rfqId, rival)]
    await award(rfqId, { awards: [first, second].map((offerId) => ({ offerId, quantity: 10 })) })
    const [order, other] = await ordersOfRfq(rfqId)
    return { rfqId, first, second, lost, orderId: order?.id as string, otherId: other?.id as string }
  }
  return { ...parties, buyer, award, reawardBy, reaward, reinstate, decline, stateOf, awarded, shared }
}
