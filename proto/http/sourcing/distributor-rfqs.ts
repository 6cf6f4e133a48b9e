import { Type } from '@sinclair/typebox'
import { RFQ_STATES } from '../../states/rfqs.ts'
import { defineOperation } from '../operation.ts'
import { OneOf, PageOf, pageQuery } from '../shapes.ts'
import { rfqLifecycleTag } from './rfq-lifecycle.ts'
import { Rfq } from './rfqs.ts'

export const listDistributorRfqs = defineOperation({
  id: 'listDistributorRfqs',
  method: 'GET',
  path: '/flows/v1/distributor/rfqs',
  tag: rfqLifecycleTag,
  summary: 'List the RFQs of your consumers',
  description:
    'Newest first: the published RFQs of the consumers that are engaged through your organization, without offers and awards, except those to which your organization is invited. Of an RFQ with confidentiality terms only the outline is shown. `GET /v1/rfqs/{id}` stays not found.',
  access: 'app:distributor',
  query: Type.Object({
    ...pageQuery,
    consumerOrgId: Type.Optional(
      Type.String({ description: 'Id of the consumer.', examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'] }),
    ),
    state: Type.Optional(OneOf(RFQ_STATES, { description: 'State of the RFQ.', examples: ['OPEN'] })),
  }),
  response: PageOf(Rfq),
})
