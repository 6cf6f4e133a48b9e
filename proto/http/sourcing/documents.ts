import { type Static, Type } from '@sinclair/typebox'
import { CASE } from '../../states/cases.ts'
import { FILE_STATES } from '../../states/files.ts'
import { OFFER } from '../../states/offers.ts'
import { ORDER } from '../../states/orders.ts'
import { RFQ } from '../../states/rfqs.ts'
import type { Transition } from '../../states/state-table.ts'
import { listOf } from '../crud.ts'
import { defineOperation, defineTag } from '../operation.ts'
import { closed, DateTime, Id, Ids, OneOf } from '../shapes.ts'
import { caseId } from './cases.ts'
import { DocumentKind } from './document-kinds.ts'
import { EXAMPLE_FILE_ID, FILE_FAILURES, storedBytes } from './files.ts'
import { offerId } from './offers.ts'
import { orderId } from './orders.ts'
import { renderedFields } from './previews.ts'
import { rfqId } from './rfqs.ts'
import { EXAMPLE_UPLOAD_ID, FileName } from './uploads.ts'

const documentsTag = defineTag(
  'Documents',
  'Documents of RFQs, offers, orders and cases: certificates, drawings, invoices and the like.',
)

/** Maximum number of documents that an organization has in one record, in any state and also superseded. */
export const MAX_DOCUMENTS = 100

const EXAMPLE_OLDER_ID = 'file_01JZ8Q4D3R1G5M7VJ0T6W2X9YA'
const EXAMPLE_SHIPMENT_ID = 'shipment_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'
/** Maximum number of shipments that one document is added for. */
const MAX_DOCUMENT_SHIPMENTS = 50

export const Document = closed(
  {
    id: Type.String({ description: 'Id of the document.', examples: [EXAMPLE_FILE_ID] }),
    name: FileName('Name of the file.'),
    kind: DocumentKind,
    state: OneOf(FILE_STATES, {
      description: 'PENDING until the bytes have been stored and read.',
      examples: ['READY'],
    }),
    reason: Type.Optional(
      OneOf(FILE_FAILURES, {
        description:
          'Reason of FAILED. too_large: more than 512 MiB. source_changed: the upload was overwritten after it was added. timed_out and unreachable: the store did not answer.',
        examples: ['too_large'],
      }),
    ),
    orgId: Type.String({
      description: 'Organization that added the document.',
      examples: ['org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB'],
    }),
    supersededBy: Type.Optional(
      Type.String({ description: 'Document that replaces this one.', examples: ['file_01JZ8Q4D3R1G5M7VJ0T6W2X9YC'] }),
    ),
    shipmentIds: Type.Optional(
      Type.Array(Type.String({ description: 'Id of a shipment.', examples: [EXAMPLE_SHIPMENT_ID] }), {
        description: 'Shipments of the order that the document belongs to. Absent where it belongs to none of them.',
        examples: [[EXAMPLE_SHIPMENT_ID]],
      }),
    ),
    createdTime: DateTime('When the document was added.'),
    ...storedBytes,
    ...renderedFields,
  },
  {
    description:
      '`size`, `contentType`, `sha256`, `downloadUrl` and `urlExpireTime` are present if the state is READY. No document has a public URL.',
  },
)
export type Document = Static<typeof Document>

const addition = closed({
  uploadId: Id('A completed upload of your organization that is not public.', EXAMPLE_UPLOAD_ID),
  kind: DocumentKind,
  name: Type.Optional(FileName('Name of the document. Default: the name of the upload.')),
  supersedes: Type.Optional(
    Id('Document of your organization in this record that the new one replaces. It stays listed.', EXAMPLE_OLDER_ID),
  ),
})

const shipmentIds = (description: string, { minItems = 0 } = {}) =>
  Ids('a shipment', EXAMPLE_SHIPMENT_ID, { minItems, maxItems: MAX_DOCUMENT_SHIPMENTS, description })

const orderAddition = closed({
  ...addition.properties,
  shipmentIds: Type.Optional(
    shipmentIds(
      'Shipments of the order that the document belongs to. Default: those of the document that it supersedes.',
    ),
  ),
})

const attachment = closed({
  documentId: Id('Document of your organization in the order.', EXAMPLE_OLDER_ID),
  shipmentIds: shipmentIds('Shipments of the order that the document belongs to, besides those that it has.', {
    minItems: 1,
  }),
})

const remove = Type.Optional(
  Ids('a document', EXAMPLE_FILE_ID, {
    maxItems: MAX_DOCUMENTS,
    description: 'Documents of your organization to remove from the record.',
  }),
)

const added = { maxItems: MAX_DOCUMENTS, description: 'Uploads to add to the record.' }
const CHANGE = { description: 'At least one document to add or remove, all or nothing.' }

export const UpdateDocumentsRequest = closed({ add: Type.Optional(Type.Array(addition, added)), remove }, CHANGE)
export type UpdateDocumentsRequest = Static<typeof UpdateDocumentsRequest>

const UpdateOrderDocumentsRequest = closed(
  {
    add: Type.Optional(Type.Array(orderAddition, added)),
    attach: Type.Optional(
      Type.Array(attachment, {
        maxItems: MAX_DOCUMENTS,
        description: 'Documents of the order to attach to its shipments.',
      }),
    ),
    remove,
  },
  { description: 'At least one document to add, attach or remove, all or nothing.' },
)
export type UpdateOrderDocumentsRequest = Static<typeof UpdateOrderDocumentsRequest>

const list = { ...listOf(Document), tag: documentsTag, noStore: true } as const

const LIMITS = `An upload can be added once. On S3 the document is PENDING until it has been copied and read. An organization has at most ${MAX_DOCUMENTS} documents in one record.`

const update = {
  method: 'PATCH',
  tag: documentsTag,
  access: 'file:write',
  body: UpdateDocumentsRequest,
  status: 204,
  ifMatch: true,
  refusals: ['illegal_transition', 'conflict', 'limit_reached'],
} as const

const LOGGED = ['id', 'add', 'remove']

export const listRfqFiles = defineOperation({
  ...list,
  id: 'listRfqFiles',
  path: '/flows/v1/rfqs/{id}/files',
  summary: 'List the documents of an RFQ',
  description: 'Newest first, for every organization that can read the RFQ.',
  access: 'token',
  params: rfqId,
})

export const updateRfqFiles = defineOperation({
  ...update,
  id: 'updateRfqFiles',
  path: '/flows/v1/rfqs/{id}/files',
  summary: 'Add and remove documents of an RFQ',
  description: `${RFQ.sentence('updateFiles')} The documents of a published RFQ are fixed. ${LIMITS}`,
  transition: RFQ.verbs.updateFiles as Transition,
  params: rfqId,
  audit: { procedure: 'rfq.updateFiles', request: LOGGED },
})

export const listOfferFiles = defineOperation({
  ...list,
  id: 'listOfferFiles',
  path: '/flows/v1/offers/{id}/files',
  summary: 'List the documents of an offer',
  description:
    'Newest first, for every organization that can read the offer and its prices. While the prices are hidden, the list is empty.',
  access: 'token',
  params: offerId,
})

export const updateOfferFiles = defineOperation({
  ...update,
  id: 'updateOfferFiles',
  path: '/flows/v1/offers/{id}/files',
  summary: 'Add and remove documents of an offer',
  description: `${OFFER.sentence('updateFiles')} A revision of the offer begins with its documents. ${LIMITS}`,
  transition: OFFER.verbs.updateFiles as Transition,
  params: offerId,
  audit: { procedure: 'offer.updateFiles', request: LOGGED },
})

export const listOrderFiles = defineOperation({
  ...list,
  id: 'listOrderFiles',
  path: '/flows/v1/orders/{id}/files',
  summary: 'List the documents of an order',
  description: 'Newest first, for each organization of the order.',
  access: 'token',
  params: orderId,
})

export const updateOrderFiles = defineOperation({
  ...update,
  id: 'updateOrderFiles',
  path: '/flows/v1/orders/{id}/files',
  summary: 'Add and remove documents of an order',
  description: `${ORDER.sentence('updateFiles')} An organization removes its own documents until the order is shipped; from then on it supersedes them. \`attach\` adds its own documents to shipments, in which they stay. ${LIMITS}`,
  transition: ORDER.verbs.updateFiles as Transition,
  params: orderId,
  body: UpdateOrderDocumentsRequest,
  audit: { procedure: 'order.updateFiles', request: [...LOGGED, 'attach'] },
})

export const listCaseFiles = defineOperation({
  ...list,
  id: 'listCaseFiles',
  path: '/flows/v1/cases/{id}/files',
  summary: 'List the documents of a case',
  description: 'Newest first, for each party to the case.',
  access: 'case:read',
  params: caseId,
})

export const updateCaseFiles = defineOperation({
  ...update,
  id: 'updateCaseFiles',
  path: '/flows/v1/cases/{id}/files',
  summary: 'Add and remove documents of a case',
  description: `${CASE.sentence('edit')} An organization removes only its own documents. ${LIMITS}`,
  transition: CASE.verbs.edit as Transition,
  params: caseId,
  audit: { procedure: 'case.updateFiles', request: LOGGED },
})
