import { duplicateFinder, type FieldError, problem } from '../../../proto/errors.ts'
import {
  MAX_DOCUMENTS,
  type UpdateDocumentsRequest,
  type UpdateOrderDocumentsRequest,
} from '../../../proto/http/sourcing/documents.ts'
import { noSuch } from '../../../proto/messages.ts'
import { type FilesChange, requestProblems as fileProblems } from '../files/rules.ts'

type SentDocument = NonNullable<UpdateDocumentsRequest['add']>[number]

/** Problems that need no database: those of files, and a document that is changed twice. */
export function requestProblems({ add = [], attach = [], remove = [] }: UpdateOrderDocumentsRequest): FieldError[] {
  const change: FilesChange = { add, remove }
  const changedTwice =
    (duplicate = duplicateFinder()) =>
    (field: string, id: string) =>
      remove.includes(id) ? [problem(field, 'is removed by the same request')] : duplicate(field, id)
  const superseded = changedTwice()
  const attached = changedTwice()
  const onlyAttaches = attach.length > 0 && add.length + remove.length === 0
  return [
    ...(onlyAttaches ? [] : fileProblems(change)),
    ...add.flatMap(({ supersedes }, index) =>
      supersedes === undefined ? [] : superseded(`add.${index}.supersedes`, supersedes),
    ),
    ...attach.flatMap(({ documentId }, index) => attached(`attach.${index}.documentId`, documentId)),
  ]
}

/** The problem of a field of `files` in an amendment. */
export const inFiles = ({ field, message }: FieldError): FieldError =>
  problem(field === 'body' ? 'files' : `files.${field}`, message)

/** Problems of the documents of an amendment that need no database. */
export const rfqFileProblems = ({ files }: { files?: UpdateDocumentsRequest }): FieldError[] =>
  files === undefined ? [] : requestProblems(files).map(inFiles)

/** Public uploads, because no document has a public URL. */
export const publicProblems = (
  add: readonly SentDocument[],
  uploads: ReadonlyMap<string, { public: boolean }>,
): FieldError[] =>
  add.flatMap(({ uploadId }, index) =>
    uploads.get(uploadId)?.public ? [problem(`add.${index}.uploadId`, 'must not be public')] : [],
  )

/** Documents that the organization does not have in the record. */
export function unknownDocuments(
  { add = [], attach = [], remove = [] }: UpdateOrderDocumentsRequest,
  ownIds: ReadonlySet<string>,
): FieldError[] {
  const unknown = (field: string, id: string) =>
    ownIds.has(id) ? [] : [problem(field, noSuch('document', id, 'of your organization in this record'))]
  return [
    ...add.flatMap(({ supersedes }, index) =>
      supersedes === undefined ? [] : unknown(`add.${index}.supersedes`, supersedes),
    ),
    ...attach.flatMap(({ documentId }, index) => unknown(`attach.${index}.documentId`, documentId)),
    ...remove.flatMap((id, index) => unknown(`remove.${index}`, id)),
  ]
}

/** Shipments that are none of the order. */
export const unknownShipments = (change: UpdateOrderDocumentsRequest, knownIds: ReadonlySet<string>): FieldError[] =>
  (['add', 'attach'] as const).flatMap((list) =>
    (change[list] ?? []).flatMap(({ shipmentIds = [] }, index) =>
      shipmentIds.flatMap((id, at) =>
        knownIds.has(id)
          ? []
          : [problem(`${list}.${index}.shipmentIds.${at}`, noSuch('shipment', id, 'of this order'))],
      ),
    ),
  )

export const hasTooManyDocuments = (documents: number): boolean => documents > MAX_DOCUMENTS
