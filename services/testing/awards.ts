import type { AcceptedOffer, AwardedRfq } from '../../proto/http/sourcing/awards.ts'
import type { Order } from '../../proto/http/sourcing/orders.ts'
import type { Pool } from '../kit/db/client.ts'
import { newId } from '../kit/db/ids.ts'
import { type ApiClient, succeeded } from './client.ts'
import { createFactory } from './factories.ts'
import type { TestMarketplace, TestOrganization } from './marketplace.ts'
import { euros, offerBody, offersOf } from './offers.ts'
import type { Answer } from './people.ts'
import { publishedPart, rfqBody, rfqsOf } from './rfqs.ts'

/** The requests about awards of one client. */
export const awardsOf = (client: ApiClient) => ({
  award: (rfqId: string, body: unknown, headers: Record<string, string> = {}): Answer<AwardedRfq> =>
    client.post(`/flows/v1/rfqs/${rfqId}/award`, body, headers),
  accept: (offerId: string, body: unknown, headers: Record<string, string> = {}): Answer<AcceptedOffer> =>
    client.post(`/flows/v1/offers/${offerId}/accept`, body, headers),
})

/** Inserts an active sales agreement under the owner's role. */
export async function insertAgreement(owner: Pool, manufacturerOrgId: string, sellerOrgId: string, feePercent: string) {
  const id = newId('agreement')
  await owner`
    insert into sourcing.sales_agreements (id, manufacturer_org_id, seller_org_id, fee_percent, state, proposed_by_org_id,
      created_at, updated_at)
    values (${id}, ${manufacturerOrgId}, ${sellerOrgId}, ${feePercent}, 'ACTIVE', ${sellerOrgId}, now(), now())`
  return id
}

/** The offers of a test: unit prices 120.00 and, from ten pieces on, 95.50; tooling 1200, shipping 49.90. */
const PRICES = { toolingCost: euros('1200'), shippingCost: euros('49.9') }

/** A consumer with a distributor, an IP owner, two manufacturers with a released factory, a seller and a stranger. */
export async function awardParties(market: TestMarketplace) {
  const [ipOwner, maker, rival, seller, distributor, stranger] = await Promise.all([
    market.organization(['IP_OWNER', 'CONSUMER']),
    market.organization(['MANUFACTURER', 'CONSUMER']),
    market.organization(['MANUFACTURER', 'CONSUMER']),
    market.organization(['SELLER']),
    market.organization(['DISTRIBUTOR', 'CONSUMER']),
    market.organization(['CONSUMER', 'IP_OWNER', 'MANUFACTURER', 'SELLER', 'DISTRIBUTOR']),
  ])
  const consumer = await market.organization(['CONSUMER'], { distributorOrgId: distributor.orgId })
  const partId = await publishedPart(ipOwner.administrator.client)
  const factoryOf = async ({ administrator }: TestOrganization) => {
    const { id } = await createFactory(administrator.client)
    const release = { orgId: consumer.orgId }
    await succeeded(distributor.administrator.client.post(`/flows/v1/factories/${id}/release`, release))
    return id
  }
  const factories = new Map([
    [maker.orgId, await factoryOf(maker)],
    [rival.orgId, await factoryOf(rival)],
  ])
  for (const { orgId } of [maker, rival]) await insertAgreement(market.db.owner, orgId, seller.orgId, '2.5')
  const buyer = consumer.administrator.client

  /** An RFQ for 10 or 50 pieces with two invitees. */
  const open = async (more: object = {}): Promise<string> => {
    const body = rfqBody(partId, { manufacturerIds: [maker.orgId, rival.orgId], ...more })
    const { id } = await succeeded(rfqsOf(buyer).create(body))
    await succeeded(rfqsOf(buyer).act(id, 'publish'))
    return id
  }
  const draftOffer = async (rfqId: string, { orgId, administrator }: TestOrganization, more: object = {}) => {
    const body = offerBody(rfqId, factories.get(orgId) as string, { ...PRICES, ...more })
    return (await succeeded(offersOf(administrator.client).create(body))).id
  }
  const offer = async (rfqId: string, by: TestOrganization, more: object = {}): Promise<string> => {
    const id = await draftOffer(rfqId, by, more)
    await succeeded(offersOf(by.administrator.client).act(id, 'submit'))
    return id
  }
  /** The orders of an RFQ, oldest first. */
  const ordersOfRfq = async (rfqId: string): Promise<Order[]> => {
    const rows = await market.db.owner<{ document: string }[]>`
      select coalesce(fee_document, document) as document from sourcing.orders where rfq_id = ${rfqId} order by id`
    return rows.map(({ document }) => JSON.parse(document))
  }
  const organizations = { consumer, ipOwner, maker, rival, seller, distributor, stranger }
  return { ...organizations, partId, factories, open, draftOffer, offer, ordersOfRfq }
}
