import type { Offer, OfferInput } from '../../proto/http/sourcing/offers.ts'
import type { PackageComparison } from '../../proto/http/sourcing/rfq-package-comparison.ts'
import type { AwardedRfqPackage } from '../../proto/http/sourcing/rfq-package-lifecycle.ts'
import type { ListedRfqPackage, RfqPackage } from '../../proto/http/sourcing/rfq-packages.ts'
import { type ApiClient, succeeded } from './client.ts'
import { createFactory } from './factories.ts'
import type { TestMarketplace } from './marketplace.ts'
import { euros } from './offers.ts'
import { type Answer, collectionOf, type Page, type Problem } from './people.ts'
import { inHours, publishedPart, rfqsOf } from './rfqs.ts'

const PATH = '/flows/v1/rfq-packages'

/** The requests about packages of one client. */
export const packagesOf = (client: ApiClient) => ({
  ...collectionOf<RfqPackage, ListedRfqPackage>(client, PATH),
  award: (id: string, body: unknown): Answer<AwardedRfqPackage> => client.post(`${PATH}/${id}/award`, body),
  compare: (id: string, query = '') => client.get<PackageComparison & Problem>(`${PATH}/${id}/comparison${query}`),
  offers: (id: string) => client.get<Page<Offer> & Problem>(`${PATH}/${id}/offers?pageSize=50`),
  offer: (id: string, body: unknown): Answer<{ items: Offer[] }> => client.post(`${PATH}/${id}/offers`, body),
})

/** An offer for a line: its price and days for any quantity. */
export const lineOffer = (
  rfqId: string,
  factoryId: string,
  price: string,
  days = 20,
  more: Partial<OfferInput> = {},
): OfferInput => ({
  rfqId,
  factoryId,
  priceBreaks: [{ minQuantity: 1, unitPrice: euros(price), leadTimeDays: days }],
  validUntil: inHours(96),
  ...more,
})

/** A consumer, an IP owner with three published parts, two manufacturers with factories and a stranger. */
export async function packageParties(market: TestMarketplace) {
  const [consumer, ipOwner, maker, rival, stranger] = await Promise.all([
    market.organization(['CONSUMER']),
    market.organization(['IP_OWNER']),
    market.organization(['MANUFACTURER', 'CONSUMER']),
    market.organization(['MANUFACTURER', 'CONSUMER']),
    market.organization(['CONSUMER', 'IP_OWNER', 'MANUFACTURER', 'SELLER', 'DISTRIBUTOR']),
  ])
  const owner = ipOwner.administrator.client
  const partIds = [
    await publishedPart(owner, { title: 'Impeller' }),
    await publishedPart(owner, { title: 'Hub' }),
    await publishedPart(owner, { title: 'Shaft' }),
  ]
  const [{ id: factoryId }, { id: rivalFactoryId }] = await Promise.all([
    createFactory(maker.administrator.client),
    createFactory(rival.administrator.client),
  ])
  const buyer = consumer.administrator.client
  const packages = packagesOf(buyer)

  /** The content of a package of three lines for both manufacturers; the third line asks only the first one. */
  const body = (more: object = {}) => ({
    title: 'Pump overhaul',
    lines: partIds.map((partId, index) => ({
      partId,
      quantities: [10, 50],
      ...(index === 2 && { manufacturerIds: [maker.orgId] }),
    })),
    manufacturerIds: [maker.orgId, rival.orgId],
    expireTime: inHours(48),
    currency: 'EUR',
    deliveryRegionCode: 'DK',
    ...more,
  })
  const draft = async (more: object = {}): Promise<RfqPackage> => {
    return succeeded(packages.create(body(more)))
  }
  const open = async (more: object = {}): Promise<RfqPackage> => {
    const { id } = await draft(more)
    return succeeded(packages.act(id, 'publish'))
  }
  return {
    ...{ consumer, ipOwner, maker, rival, stranger, partIds, factoryId, rivalFactoryId },
    ...{ packages, body, draft, open },
    rfqs: rfqsOf(buyer),
    makers: packagesOf(maker.administrator.client),
    rivals: packagesOf(rival.administrator.client),
  }
}

/** The ids of the RFQs of a package. */
export const rfqIdsOf = ({ lines }: RfqPackage): string[] => lines.map(({ rfqId }) => rfqId)
