import { Type } from '@sinclair/typebox'
import { PRINTED_KINDS } from '../../states/printed-documents.ts'
import { defineOperation } from '../operation.ts'
import { OneOf } from '../shapes.ts'
import { orderLifecycleTag } from './order-lifecycle.ts'
import { orderId } from './orders.ts'

const PRINTED_LANGUAGES = ['en', 'de'] as const
export type PrintedLanguage = (typeof PRINTED_LANGUAGES)[number]

/** The longest document; what does not fit is left out, and the document says so. */
export const MAX_PRINTED_PAGES = 10

export const getOrderDocument = defineOperation({
  id: 'getOrderDocument',
  method: 'GET',
  path: '/flows/v1/orders/{id}/document',
  tag: orderLifecycleTag,
  summary: 'Print a document of an order',
  description: `The order as it is now, as a PDF of at most ${MAX_PRINTED_PAGES} pages with what you may read of it. Purchase order and order confirmation are for every organization named in the order; the packing list, which has no prices, is for its consumer, manufacturer and seller. Order confirmation and packing list need a confirmed order. Billing details need \`assignment:read\`; quote reference, incoterm and required documents are only for organizations that can read the offer or the RFQ. Characters of scripts other than Latin, Greek and Cyrillic are printed as �.`,
  access: 'token',
  params: orderId,
  query: Type.Object({
    kind: OneOf(PRINTED_KINDS, { description: 'Kind of the document.', examples: ['PURCHASE_ORDER'] }),
    language: Type.Optional(
      OneOf(PRINTED_LANGUAGES, {
        description: 'Language of the document. Default: German where `Accept-Language` begins with it, else English.',
        examples: ['de'],
      }),
    ),
    shipmentId: Type.Optional(
      Type.String({
        description: 'Packing list of this shipment. Default: of the whole order.',
        examples: ['shipment_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
      }),
    ),
  }),
  response: Type.String({ description: 'PDF.', examples: ['%PDF-1.7'] }),
  mediaType: 'application/pdf',
  refusals: ['illegal_transition'],
})
