import type { Fragment, Sql } from '../../kit/db/client.ts'
import type { RequestReads } from '../../kit/limits/request-reads.ts'
import type { PreviewUrls } from './urls.ts'

/** A column of a record: what the reader may know of the models of its part, `Measured` or null. */
export type MeasuredColumn = (sql: Sql) => Fragment

/** The column for an organization at a time, on rows of a table. */
type ColumnFor = (orgId: string, now: string) => MeasuredColumn

/** The reader of a request. */
export interface Reader {
  caller: { orgId: string }
  now: string
  read: RequestReads['read']
}

/** A pinned revision of a part. */
interface RevisionRef {
  partId: string
  revision: number
}

/** How features show the pictures of parts. `service.ts` provides it, because whom a model is shown is known to all. */
export interface Pictures {
  urls: PreviewUrls
  /** On rows of `sourcing.parts`. */
  ofPart: ColumnFor
  /** On rows `rfq` of `sourcing.rfqs`. */
  ofRfq: ColumnFor
  /** On rows of `sourcing.offers`. */
  ofOffer: ColumnFor
  /** On rows of `sourcing.orders`. */
  ofOrder: ColumnFor
  /** Which of these revisions have a model of the group `ip` that the reader may read. */
  released(reader: Reader, revisions: readonly RevisionRef[]): Promise<RevisionRef[]>
}
