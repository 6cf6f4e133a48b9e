import { type Static, Type } from '@sinclair/typebox'
import { defineOperation, defineTag } from '../operation.ts'
import { BatchOf, closed, Int32, ItemsOf, PageOf, pageQuery } from '../shapes.ts'

const suppliersTag = defineTag(
  'Suppliers',
  'How the manufacturers of your orders have delivered to your organization. No other organization reads these figures.',
)

const EXAMPLE_ID = 'org_01JZ8Q4D3R1G5M7VJ0T6W2X9YC'

/** The newest orders of a manufacturer from which its figures are computed. */
export const MAX_MEASURED_ORDERS = 1000

/** With fewer finished orders, the figures say little. */
export const MIN_SAMPLE = 3

const share = (description: string, example: number) =>
  Type.Optional(Type.Number({ minimum: 0, maximum: 1, description, examples: [example] }))

export const Supplier = closed(
  {
    manufacturerOrgId: Type.String({ description: 'Organization that makes the parts.', examples: [EXAMPLE_ID] }),
    manufacturerName: Type.String({ description: 'Name of this organization.', examples: ['Vestland Additive'] }),
    finishedOrders: Int32(
      'Orders that are DELIVERED or COMPLETED, also those that were settled early, which count as late.',
      12,
      { minimum: 0, maximum: MAX_MEASURED_ORDERS },
    ),
    isSmallSample: Type.Boolean({
      description: `True with fewer than ${MIN_SAMPLE} finished orders: the figures then say little.`,
      examples: [false],
    }),
    onTimeShare: share(
      'Share of the finished orders that had arrived on their due date (UTC) or before, with four decimals.',
      0.9167,
    ),
    rejectedShare: share('Share of the shipped pieces of these orders that were rejected, with four decimals.', 0.0125),
    medianLeadTimeDays: Type.Optional(
      Type.Number({
        minimum: 0,
        description: 'Median of the days (UTC) from the award to the arrival of the last piece.',
        examples: [27.5],
      }),
    ),
  },
  {
    description: `The figures of a manufacturer, from the newest ${MAX_MEASURED_ORDERS} orders that your organization has placed with it. Shares and median are absent without a finished order.`,
  },
)
export type Supplier = Static<typeof Supplier>

export const listSuppliers = defineOperation({
  id: 'listSuppliers',
  method: 'GET',
  path: '/flows/v1/suppliers',
  tag: suppliersTag,
  summary: 'List suppliers',
  description: 'Ordered by name: the manufacturers with which your organization, as consumer, has placed orders.',
  access: 'app:consumer',
  query: Type.Object({
    ...pageQuery,
    manufacturerOrgId: Type.Optional(Type.String({ description: 'Only this manufacturer.', examples: [EXAMPLE_ID] })),
  }),
  response: PageOf(Supplier),
})

export const batchGetSuppliers = defineOperation({
  id: 'batchGetSuppliers',
  method: 'POST',
  path: '/flows/v1/suppliers:batch-get',
  tag: suppliersTag,
  summary: 'Get suppliers by the ids of their organizations',
  description:
    'In the order of the request. Organizations with which yours has placed no order as consumer are omitted.',
  access: 'app:consumer',
  body: BatchOf('ids', [EXAMPLE_ID]),
  response: ItemsOf(Supplier),
})
