import { type FieldError, problem } from '../../../proto/errors.ts'
import {
  MAX_DOCUMENTS,
  type UpdateDocumentsRequest,
  type UpdateOrderDocumentsRequest,
} from '../../../proto/http/sourcing/documents.ts'
import { noSuch } from '../../../proto/messages.ts'
import { type FilesChange, requestProblems as fileProblems } from '../files/rules.ts'

type SentDocument = NonNullable<UpdateDocumentsRequest['add']>[number]

/** Problems that need no database: those of files, and a document that is superseded twice or also removed. */
export function requestProblems({ add = [], remove = [] }: UpdateDocumentsRequest): FieldError[] {
  const change: FilesChange = { add, remove }
  const seen = new Set<string>()
  const superseding = add.flatMap(({ supersedes }, index) => {
    if (supersedes === undefined) return []
    const field = `add.${index}.supersedes`
    if (remove.includes(supersedes)) return [problem(field, 'is removed by the same request')]
    if (seen.has(supersedes)) return [problem(field, 'is a duplicate')]
    seen.add(supersedes)
    return []
  })
  return [...fileProblems(change), ...superseding]
}

/** The name of a field of `files` in an amendment. */
export const fieldInFiles = (field: string): string => (field === 'body' ? 'files' : `files.${field}`)

/** Problems of the documents of an amendment that need no database. */
export const rfqFileProblems = ({ files }: { files?: UpdateDocumentsRequest }): FieldError[] =>
  files === undefined
    ? []
    : requestProblems(files).map(({ field, message }) => ({ field: fieldInFiles(field), message }))

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
  { add = [], remove = [] }: UpdateDocumentsRequest,
  ownIds: ReadonlySet<string>,
): FieldError[] {
  const unknown = (field: string, id: string) =>
    ownIds.has(id) ? [] : [problem(field, noSuch('document', id, 'of your organization in this record'))]
  return [
    ...add.flatMap(({ supersedes }, index) =>
      supersedes === undefined ? [] : unknown(`add.${index}.supersedes`, supersedes),
    ),
    ...remove.flatMap((id, index) => unknown(`remove.${index}`, id)),
  ]
}

/** Shipments that are none of the order. */
export const unknownShipments = (
  { add = [] }: UpdateOrderDocumentsRequest,
  knownIds: ReadonlySet<string>,
): FieldError[] =>
  add.flatMap(({ shipmentIds = [] }, index) =>
    shipmentIds.flatMap((id, at) =>
      knownIds.has(id) ? [] : [problem(`add.${index}.shipmentIds.${at}`, noSuch('shipment', id, 'of this order'))],
    ),
  )

export const hasTooManyDocuments = (documents: number): boolean => documents > MAX_DOCUMENTS
