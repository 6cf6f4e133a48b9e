import type { UpdateDocumentsRequest } from '../../../proto/http/sourcing/documents.ts'
import type { Tx } from '../../kit/db/client.ts'
import { Refusal, refuse } from '../../kit/errors/refusal.ts'
import type { FileDeps } from '../files/additions.ts'
import { changeRfqFiles, findDocumentAdditions } from './commands.ts'
import { fieldInFiles } from './rules.ts'

interface AmendedFiles {
  /** The consumer. */
  orgId: string
  rfqId: string
  files: UpdateDocumentsRequest
  now: string
}

/**
 * Finds the objects of the documents that an amendment adds. The result changes the documents of the RFQ, whose row is
 * locked, as the last step of the transaction.
 */
export const prepareRfqFiles =
  (deps: FileDeps) =>
  async ({ orgId, rfqId, files, now }: AmendedFiles): Promise<(tx: Tx) => Promise<void>> => {
    const record = { kind: 'rfq', id: rfqId } as const
    const uploads = await inFiles(() => findDocumentAdditions(deps, { orgId, record, files }))
    return (tx) => inFiles(() => changeRfqFiles(tx, deps.quota, { orgId, rfqId, files, uploads, now }))
  }

/** Names the fields of a refusal as the request does. */
async function inFiles<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refusal) || error.errors === undefined) throw error
    const errors = error.errors.map(({ field, message }) => ({ field: fieldInFiles(field), message }))
    // The sentence of a validation error names its first field.
    const detail = error.code === 'validation_error' ? {} : { detail: error.detail }
    throw refuse(error.code, { ...detail, errors, cause: error })
  }
}
