import { HOUR_MS } from '../../proto/durations.ts'
import type { Rfq } from '../../proto/http/sourcing/rfqs.ts'
import { type ApiClient, succeeded } from './client.ts'
import type { TestMarketplace } from './marketplace.ts'
import { collectionOf } from './people.ts'

export const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString()

/** The content of an RFQ that can be published once it has invitees. */
export const rfqBody = (partId: string, more: object = {}) => ({
  partId,
  quantities: [10, 50],
  expireTime: inHours(48),
  currency: 'EUR',
  deliveryRegionCode: 'DK',
  ...more,
})

/** The requests about RFQs of one client. */
export const rfqsOf = (client: ApiClient) => collectionOf<Rfq>(client, '/flows/v1/rfqs', '/v1/rfqs')

/** Creates a part and publishes it. */
export async function publishedPart(client: ApiClient, body: object = {}): Promise<string> {
  const part = { title: 'Impeller', materialType: 'metal', ...body }
  const { body: created } = await client.post<{ id: string }>('/v1/parts', part)
  await succeeded(client.post(`/flows/v1/parts/${created.id}/publish`))
  return created.id
}

/** A consumer, an IP owner with a published part, two manufacturers and a stranger with every role. */
export async function rfqParties(market: TestMarketplace) {
  const [consumer, ipOwner, maker, rival, stranger] = await Promise.all([
    market.organization(['CONSUMER']),
    market.organization(['IP_OWNER', 'CONSUMER']),
    market.organization(['MANUFACTURER', 'CONSUMER']),
    market.organization(['MANUFACTURER', 'CONSUMER']),
    market.organization(['CONSUMER', 'IP_OWNER', 'MANUFACTURER', 'SELLER', 'DISTRIBUTOR']),
  ])
  const partId = await publishedPart(ipOwner.administrator.client)
  const buyer = rfqsOf(consumer.administrator.client)

  const draft = async (more: object = {}): Promise<string> => {
    return (await succeeded(buyer.create(rfqBody(partId, { manufacturerIds: [maker.orgId], ...more })))).id
  }
  const open = async (more: object = {}): Promise<string> => {
    const id = await draft(more)
    await succeeded(buyer.act(id, 'publish'))
    return id
  }
  return { consumer, ipOwner, maker, rival, stranger, partId, buyer, draft, open }
}
