import type { UpdateDocumentsRequest } from '../../../proto/http/sourcing/documents.ts'
import type { Tx } from '../../kit/db/client.ts'
import { renameFields } from '../../kit/errors/refusal.ts'
import type { FileDeps } from '../files/additions.ts'
import { changeRfqFiles, findDocumentAdditions } from './commands.ts'
import { inFiles } from './rules.ts'

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
    const uploads = await renameFields(inFiles, () => findDocumentAdditions(deps, { orgId, record, files }))
    return (tx) => renameFields(inFiles, () => changeRfqFiles(tx, deps.quota, { orgId, rfqId, files, uploads, now }))
  }
