import type { Account, Fixtures } from '../fixtures.ts'
import { publicFactory, type RecordName, recordKind } from '../records.ts'
import { inHours } from '../rfqs.ts'
import { makerOf, type OperationSample, unfit, withAnother } from './operation-sample.ts'
import { offeredPackage, packageWithInvitation } from './package-records.ts'
import { withLockedPart } from './rfq-samples.ts'
import { inviteeOf } from './rfqs.ts'

const DELIVERY = { 'body.delivery.regionCode': 'shared', 'body.delivery.postalCode': 'shared' } as const

/** A record that is no part of the package of the request. */
const ofOther = (record: RecordName) => unfit(record, 400, 'rfq:award')

const invited = async (fixtures: Fixtures, account: Account) => {
  const maker = await makerOf('offerRfq', fixtures, account)
  const { id, rfqId } = await packageWithInvitation(fixtures, maker)
  return { id, rfqId, factoryId: String(await recordKind('internalFactory').make(fixtures, maker)) }
}

/** Packages of RFQs. */
export const PACKAGE_SAMPLES: Record<string, OperationSample> = {
  getRfqPackage: { references: { 'path.id': ['draftPackage', 'openPackage', 'invitedPackage'] } },
  createRfqPackage: {
    references: {
      'body.lines.0.partId': ['draftPart', 'internalPart'],
      'body.lines.0.manufacturerIds.0': 'shared',
      'body.manufacturerIds.0': 'shared',
      'body.deliveryRegionCode': 'shared',
      ...DELIVERY,
    },
    values: async (fixtures) => ({
      'body.manufacturerIds': [await inviteeOf(fixtures)],
      'body.lines.0.manufacturerIds': [await inviteeOf(fixtures)],
    }),
    conflict: withLockedPart('body.lines.0.partId'),
  },
  patchRfqPackage: { references: { 'path.id': 'draftPackage' }, conflict: withAnother('path.id', 'openPackage') },
  deleteRfqPackage: { references: { 'path.id': 'draftPackage' }, conflict: withAnother('path.id', 'openPackage') },
  publishRfqPackage: { references: { 'path.id': 'draftPackage' }, conflict: withAnother('path.id', 'openPackage') },
  extendRfqPackage: {
    references: { 'path.id': 'openPackage' },
    values: () => ({ 'body.expireTime': inHours(1000) }),
    conflict: withAnother('path.id', 'draftPackage'),
  },
  amendRfqPackage: {
    references: { 'path.id': 'openPackage', ...DELIVERY },
    values: () => ({ 'body.expireTime': inHours(1000) }),
    conflict: withAnother('path.id', 'draftPackage'),
  },
  closeRfqPackage: { references: { 'path.id': 'openPackage' }, conflict: 'race' },
  cancelRfqPackage: { references: { 'path.id': ['draftPackage', 'openPackage'] }, conflict: 'race' },
  awardRfqPackage: {
    references: {
      'path.id': ofOther('openPackage'),
      'body.awards.0.rfqId': ofOther('openRfq'),
      'body.awards.0.offerId': ofOther('awardableOffer'),
      'body.sellerOrgId': 'shared',
    },
    values: async (fixtures, account) => {
      const consumer = await makerOf('openPackage', fixtures, account)
      const { id, ...award } = await offeredPackage(fixtures, consumer, await publicFactory(fixtures))
      return { 'path.id': id, body: { awards: [{ ...award, quantity: 10 }] } }
    },
    conflict: 'race',
  },
  acceptRfqPackageTerms: { by: 'manufacturer', references: { 'path.id': 'packageTerms' }, conflict: 'race' },
  getPackageComparison: { references: { 'path.id': ['draftPackage', 'openPackage'] } },
  exportPackageComparison: { references: { 'path.id': ['draftPackage', 'openPackage'] } },
  listPackageOffers: { by: 'manufacturer', references: { 'path.id': 'invitedPackage' } },
  getPackageOfferTemplate: { by: 'manufacturer', references: { 'path.id': 'invitedPackage' } },
  offerForRfqPackage: {
    by: 'manufacturer',
    references: {
      'path.id': unfit('invitedPackage', 400, 'offer:create'),
      'body.lines.0.rfqId': unfit('offerRfq', 400, 'offer:create'),
      'body.lines.0.factoryId': 'internalFactory',
    },
    values: async (fixtures, account) => {
      const { id, rfqId, factoryId } = await invited(fixtures, account)
      const price = { minQuantity: 1, unitPrice: { amount: '10', currency: 'EUR' }, leadTimeDays: 10 }
      return { 'path.id': id, body: { lines: [{ rfqId, factoryId, priceBreaks: [price], validUntil: inHours(96) }] } }
    },
    async conflict({ market }, _, input) {
      const { lines } = input.body as { lines: { rfqId: string }[] }
      await market.db.owner`update sourcing.rfqs set state = 'CLOSED' where id = ${lines[0]?.rfqId ?? ''}`
      return input
    },
  },
}
