import { OneOf } from '../shapes.ts'

export const DOCUMENT_KINDS = [
  'QUOTE',
  'PURCHASE_ORDER',
  'ORDER_CONFIRMATION',
  'CERTIFICATE_OF_CONFORMITY',
  'MATERIAL_CERTIFICATE',
  'INSPECTION_REPORT',
  'PACKING_LIST',
  'INVOICE',
  'PHOTO',
  'DRAWING',
  'OTHER',
] as const
export type DocumentKind = (typeof DOCUMENT_KINDS)[number]

export const DocumentKind = OneOf(DOCUMENT_KINDS, {
  description: 'Kind of a document.',
  examples: ['CERTIFICATE_OF_CONFORMITY'],
})
