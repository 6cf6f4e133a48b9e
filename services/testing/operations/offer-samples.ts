import { type OperationSample, withAnother } from './operation-sample.ts'

/** Offers. */
export const OFFER_SAMPLES: Record<string, OperationSample> = {
  listOffers: {
    references: { 'query.rfqId': ['offerRfq', 'openRfq'], 'query.partId': ['draftPart', 'internalPart'] },
  },
  getOffer: { references: { 'path.id': ['receivedOffer', 'draftOffer', 'submittedOffer'] } },
  createOffer: {
    by: 'manufacturer',
    references: { 'body.rfqId': 'offerRfq', 'body.factoryId': 'internalFactory' },
    conflict: async ({ market }, _, input) => {
      const { rfqId } = input.body as { rfqId: string }
      await market.db.owner`update sourcing.rfqs set state = 'CLOSED' where id = ${rfqId}`
      return input
    },
  },
  patchOffer: {
    by: 'manufacturer',
    references: { 'path.id': 'draftOffer', 'body.factoryId': 'internalFactory' },
    conflict: withAnother('path.id', 'submittedOffer'),
  },
  submitOffer: {
    by: 'manufacturer',
    references: { 'path.id': 'draftOffer' },
    conflict: withAnother('path.id', 'submittedOffer'),
  },
  reconfirmOffer: { by: 'manufacturer', references: { 'path.id': 'outdatedOffer' }, conflict: 'race' },
  reinstateOffer: { by: 'manufacturer', references: { 'path.id': 'lostOffer' }, conflict: 'race' },
  reviseOffer: { by: 'manufacturer', references: { 'path.id': 'submittedOffer' }, conflict: 'race' },
  withdrawOffer: { by: 'manufacturer', references: { 'path.id': 'submittedOffer' }, conflict: 'race' },
  rejectOffer: { references: { 'path.id': 'receivedOffer' }, conflict: 'race' },
  getOfferComparison: { references: { 'path.id': ['draftRfq', 'openRfq'], 'query.sellerOrgId': 'shared' } },
  exportOfferComparison: { references: { 'path.id': ['draftRfq', 'openRfq'], 'query.sellerOrgId': 'shared' } },
}
