import type { Tx } from '../../kit/db/client.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import * as queries from './queries.ts'

/** Copies the current documents of an offer, whose row is locked, to its revision. */
export async function copyDocuments(tx: Tx, offerId: string, revisionId: string, now: string): Promise<void> {
  const documents = await queries.lockDocumentsOf(tx, offerId)
  const copies = documents.map(({ id }) => ({ from: id, id: newIdAt('file', now) }))
  if (copies.length > 0) await queries.insertCopies(tx, revisionId, copies, now)
}
