import type { File } from '../../proto/http/sourcing/files.ts'
import type { Order } from '../../proto/http/sourcing/orders.ts'
import type { Part } from '../../proto/http/sourcing/parts.ts'
import { awardsOf } from './awards.ts'
import { type ApiClient, succeeded } from './client.ts'
import { FileClient } from './files/file-client.ts'
import type { TestMarketplace, TestOrganization } from './marketplace.ts'
import { offerBody, offerParties, offersOf } from './offers.ts'
import type { Problem } from './people.ts'
import { rfqBody } from './rfqs.ts'

export const clientOf = ({ administrator }: TestOrganization) => administrator.client
export const read = (by: TestOrganization, path: string) => clientOf(by).get<Part & Problem>(path)
export const revision = (by: TestOrganization, partId: string, number: number | string) =>
  read(by, `/flows/v1/parts/${partId}/revisions/${number}`)
export const filesAt = async (client: ApiClient, partId: string, number: number) =>
  (await client.get<{ items: File[] }>(`/flows/v1/parts/${partId}/revisions/${number}/files`)).body.items

/** The parties of RFQs and orders that pin revisions of parts of `ipOwner`. */
export async function revisionParties(market: TestMarketplace) {
  const parties = await offerParties(market)
  const { consumer, ipOwner, maker, buyer, factory } = parties
  const own = new FileClient(market, clientOf(ipOwner))

  const patch = async (partId: string, body: object) => {
    await succeeded(own.client.send('PATCH', `/flows/v1/parts/${partId}`, { body }))
  }

  /** An open RFQ of `consumer` for a part, with `maker` as invitee. */
  async function openFor(partId: string, more: object = {}): Promise<string> {
    const { body } = await buyer.create(rfqBody(partId, { manufacturerIds: [maker.orgId], ...more }))
    await succeeded(buyer.act(body.id, 'publish'))
    return body.id
  }

  /** An order of `maker` after an award of the RFQ. */
  async function orderFor(rfqId: string): Promise<Order> {
    const offers = offersOf(clientOf(maker))
    const { body } = await offers.create(offerBody(rfqId, factory.id))
    await offers.act(body.id, 'submit')
    const accepted = await succeeded(awardsOf(clientOf(consumer)).accept(body.id, { quantity: 10 }))
    return accepted.orders[0] as Order
  }

  return { ...parties, own, patch, openFor, orderFor }
}
