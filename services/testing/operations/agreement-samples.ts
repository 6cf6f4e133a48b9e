import type { OperationSample } from './operation-sample.ts'

/** Sales agreements and the RFQs of distributors. */
export const AGREEMENT_SAMPLES: Record<string, OperationSample> = {
  getSalesAgreement: { by: 'manufacturer', references: { 'path.id': 'salesAgreement' } },
  createSalesAgreement: {
    by: 'manufacturer',
    references: { 'body.manufacturerOrgId': 'shared', 'body.sellerOrgId': 'shared' },
    values: async ({ market }, { orgId }) => ({
      'body.manufacturerOrgId': orgId,
      'body.sellerOrgId': (await market.organization(['SELLER'])).orgId,
    }),
    conflict: 'race',
  },
  acceptSalesAgreement: { by: 'manufacturer', references: { 'path.id': 'salesAgreement' }, conflict: 'race' },
  endSalesAgreement: { by: 'manufacturer', references: { 'path.id': 'salesAgreement' }, conflict: 'race' },
  listRfqSellers: { references: { 'path.id': ['draftRfq', 'openRfq'] } },
  listDistributorRfqs: { by: 'distributor', references: { 'query.consumerOrgId': 'shared' } },
}
