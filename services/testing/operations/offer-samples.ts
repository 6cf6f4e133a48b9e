import type { Account, Fixtures } from '../fixtures.ts'
import { type RecordName, recordKind } from '../records.ts'
import { type Input, withValue } from './inputs.ts'
import type { OperationSample } from './operation-sample.ts'

/** Replaces the offer by one in another state. */
const ofKind = (record: RecordName) => async (fixtures: Fixtures, account: Account, input: Input) =>
  withValue(input, 'path.id', await recordKind(record).make(fixtures, account))

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
    conflict: ofKind('submittedOffer'),
  },
  submitOffer: { by: 'manufacturer', references: { 'path.id': 'draftOffer' }, conflict: ofKind('submittedOffer') },
  reconfirmOffer: { by: 'manufacturer', references: { 'path.id': 'outdatedOffer' }, conflict: 'race' },
  reinstateOffer: { by: 'manufacturer', references: { 'path.id': 'lostOffer' }, conflict: 'race' },
  reviseOffer: { by: 'manufacturer', references: { 'path.id': 'submittedOffer' }, conflict: 'race' },
  withdrawOffer: { by: 'manufacturer', references: { 'path.id': 'submittedOffer' }, conflict: 'race' },
  rejectOffer: { references: { 'path.id': 'receivedOffer' }, conflict: 'race' },
  getOfferComparison: { references: { 'path.id': ['draftRfq', 'openRfq'], 'query.sellerOrgId': 'shared' } },
  exportOfferComparison: { references: { 'path.id': ['draftRfq', 'openRfq'], 'query.sellerOrgId': 'shared' } },
}
