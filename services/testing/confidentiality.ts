import type { RfqAcceptance } from '../../proto/http/sourcing/rfq-confidentiality.ts'
import type { EmittedCaseEvent } from './cases.ts'
import { type ApiClient, succeeded } from './client.ts'
import { createFactory } from './factories.ts'
import { FileClient } from './files/file-client.ts'
import type { TestMarketplace, TestOrganization } from './marketplace.ts'
import { offerBody, offersOf } from './offers.ts'
import type { Page, Problem } from './people.ts'
import { publishedPart, rfqBody, rfqsOf } from './rfqs.ts'
import { subscriptionsOf } from './subscriptions.ts'

export const TERMS = 'The drawing is confidential: do not pass it on, and delete it after the RFQ.'
/** The SHA-256 of the terms, from `printf %s … | sha256sum`. */
export const TERMS_SHA256 = '6ed69ef9cc6cad46244914a1ab07e08036a1547138312b010b913af2688d9938'

/** A part of which an outline tells less than half. */
export const SECRET_PART = {
  title: 'Impeller',
  externalRef: 'DRW-4711',
  description: 'A secret description.',
  descriptionManufacturer: 'A secret for manufacturers.',
  materialId: '316l',
  materialNote: 'A secret of the material.',
  processId: 'pbf-metal',
  processNote: 'A secret of the process.',
  standardIds: ['iso-astm-52901'],
  criticalityIds: ['api-20s-amsl-2'],
  keywords: ['secret-keyword'],
  boundingBox: { x: 311 },
  unitSystem: 'METRIC',
  metadata: { secret: 'metadata' },
  otherRequirementNotes: 'A secret requirement.',
  internal: true,
}

/** The terms of an RFQ that an outline leaves out. */
export const SECRET_RFQ = {
  incoterm: 'DAP',
  requirements: 'A secret requirement of the RFQ.',
  requestedDeliveryDate: '2031-09-01',
  paymentTerms: '30 days secretly',
  delivery: { name: 'Secret dock', lines: ['Dokvej 12'], locality: 'Esbjerg', regionCode: 'DK' },
  requiredDocuments: ['MATERIAL_CERTIFICATE'],
}

/** The domain event behind an event of a case. */
export const causeOf = ({ data }: EmittedCaseEvent) => ('cause' in data ? data.cause?.event : undefined)

/** The requests about the confidentiality of RFQs of one client. */
export const termsOf = (client: ApiClient) => ({
  accept: (id: string) => rfqsOf(client).act(id, 'accept-terms'),
  release: (id: string, ...manufacturerIds: string[]) => rfqsOf(client).act(id, 'release-files', { manufacturerIds }),
  withdraw: (id: string, ...manufacturerIds: string[]) =>
    rfqsOf(client).act(id, 'withdraw-files', manufacturerIds.length > 0 ? { manufacturerIds } : undefined),
  acceptances: (id: string, query = '') =>
    client.get<Page<RfqAcceptance> & Problem>(`/flows/v1/rfqs/${id}/acceptances${query}`),
})

/**
 * A designer that asks for offers for its own internal part, a buyer and the owner of another part, two manufacturers
 * and a stranger with every role.
 */
export async function confidentialParties(market: TestMarketplace) {
  const [designer, buyer, owner, maker, rival, stranger] = await Promise.all([
    market.organization(['CONSUMER', 'IP_OWNER']),
    market.organization(['CONSUMER']),
    market.organization(['IP_OWNER', 'CONSUMER', 'MANUFACTURER']),
    market.organization(['MANUFACTURER', 'CONSUMER']),
    market.organization(['MANUFACTURER', 'CONSUMER']),
    market.organization(['CONSUMER', 'IP_OWNER', 'MANUFACTURER', 'SELLER', 'DISTRIBUTOR']),
  ])
  const partOf = async ({ administrator }: TestOrganization, more: object = {}) => {
    const partId = await publishedPart(administrator.client, { ...SECRET_PART, ...more })
    const files = new FileClient(market, administrator.client)
    for (const group of ['document', 'ip', 'development'] as const)
      await files.addFile(partId, group, group, `${group}.stl`)
    return partId
  }
  const partId = await partOf(designer)
  const both = [maker.orgId, rival.orgId]
  const rfqs = rfqsOf(designer.administrator.client)

  const draft = async (more: object = {}): Promise<string> => {
    const content = { manufacturerIds: both, confidentialityTerms: TERMS, ...SECRET_RFQ, ...more }
    return (await succeeded(rfqs.create(rfqBody(partId, content)))).id
  }
  const open = async (more: object = {}): Promise<string> => {
    const id = await draft(more)
    await succeeded(rfqs.act(id, 'publish'))
    return id
  }
  const buying = rfqsOf(buyer.administrator.client)
  /** An RFQ of the buyer, with terms, for an internal part of the owner, to which it is a subscriber. */
  const openForOwner = async (more: object = {}): Promise<{ id: string; partId: string }> => {
    const owned = await partOf(owner)
    const grant = { partId: owned, consumerOrgId: buyer.orgId }
    await succeeded(subscriptionsOf(owner.administrator.client).create(grant))
    const content = { manufacturerIds: both, confidentialityTerms: TERMS, ...SECRET_RFQ, ...more }
    const { body } = await buying.create(rfqBody(owned, content))
    await act(body.id, 'publish')
    return { id: body.id, partId: owned }
  }
  /** A verb of the buyer, which must succeed. */
  const act = async (id: string, verb: string, body?: object) => {
    await succeeded(buying.act(id, verb, body))
  }
  /** The groups of files of a part that an organization sees. */
  const groupsFor = async ({ administrator }: TestOrganization, of = partId): Promise<string[] | number> => {
    const { status, body } = await administrator.client.get<{ items: { group: string }[] }>(`/v1/parts/${of}/files`)
    return status === 200 ? body.items.map(({ group }) => group).toSorted() : status
  }
  /** Submits an offer of a manufacturer that has accepted the terms. */
  const offer = async (rfqId: string, { administrator }: TestOrganization): Promise<string> => {
    const { id: factoryId } = await createFactory(administrator.client)
    const offers = offersOf(administrator.client)
    const { body } = await offers.create(offerBody(rfqId, factoryId))
    await succeeded(offers.act(body.id, 'submit'))
    return body.id
  }
  const organizations = { designer, buyer, owner, maker, rival, stranger }
  return { ...organizations, partId, rfqs, draft, open, openForOwner, act, groupsFor, offer }
}
