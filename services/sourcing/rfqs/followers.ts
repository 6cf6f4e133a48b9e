import type { FieldError } from '../../../proto/errors.ts'
import type { Cause } from '../../../proto/events/shapes.ts'
import type { UpdateDocumentsRequest } from '../../../proto/http/sourcing/documents.ts'
import type { Rfq } from '../../../proto/http/sourcing/rfqs.ts'
import type { Tx } from '../../kit/db/client.ts'

/** What events tell of an RFQ. */
export type RfqSubject = Pick<Rfq, 'id' | 'partId' | 'consumerOrgId' | 'ipOwnerOrgId'>

/** A change of an RFQ, or of an offer for it. */
export interface RfqChange {
  rfqId: string
  /** The organizations that are notified. */
  orgIds: readonly string[]
  cause: Cause
  /** The cases end with it. */
  ends?: boolean
  /** The organizations whose cases do not end with it. */
  keptFor?: readonly string[]
  /** The organizations whose cases are OPEN again if the RFQ had ended them. */
  resumedFor?: readonly string[]
}

/** The organizations that read an RFQ from now on. */
export interface RfqOpening {
  rfq: Pick<Rfq, 'id' | 'serialNumber' | 'ipOwnerOrgId'>
  orgIds: readonly string[]
  cause: Cause
}

/** What happens in other features in the transaction of a change of RFQs or their offers. `service.ts` provides it. */
export interface RfqFollowers {
  /** Invites addresses to a locked RFQ. Returns the ids of the new invitations. */
  inviteByEmail(tx: Tx, rfq: RfqSubject, emails: readonly string[], now: string): Promise<string[]>
  /** Ends the submitted offers of cancelled RFQs. */
  rejectOffers(tx: Tx, rfqIds: readonly string[], now: string): Promise<void>
  /** Problems of the documents of an amendment that need no database. */
  findRfqFileProblems(amendment: { files?: UpdateDocumentsRequest }): FieldError[]
  /**
   * Finds the objects of documents that an amendment adds. The result changes the documents, last in the transaction.
   */
  prepareRfqFiles(change: {
    orgId: string
    rfqId: string
    files: UpdateDocumentsRequest
    now: string
  }): Promise<(tx: Tx) => Promise<void>>
  /** Copies the current documents of an offer, whose row is locked, to its revision. */
  copyDocuments(tx: Tx, offerId: string, revisionId: string, now: string): Promise<void>
  /** Releases the files of the group `ip` to manufacturers that accept the terms. */
  releaseFiles(tx: Tx, rfqId: string, orgIds: readonly string[], now: string): Promise<unknown>
  /** Dismisses the unanswered questions about RFQs that are awarded or cancelled. */
  endQuestions(tx: Tx, rfqs: readonly RfqSubject[], now: string): Promise<void>
  /** Opens the cases of organizations that read RFQs from now on. */
  openCases(tx: Tx, openings: readonly RfqOpening[], now: string): Promise<void>
  /**
   * Updates the cases of the organizations that learn of changes. It comes last in a transaction: commands on offers
   * lock an offer first and then cases.
   */
  updateCases(tx: Tx, changes: readonly RfqChange[], now: string): Promise<void>
}

export interface RfqDeps {
  followers: RfqFollowers
}
