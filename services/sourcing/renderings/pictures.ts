import type { Fragment, Sql } from '../../kit/db/client.ts'
import type { RequestReads } from '../../kit/limits/request-reads.ts'
import type { Measured } from './rules.ts'
import type { PreviewUrls } from './urls.ts'

/** A column of a part: what the reader may know of its models, `Measured` or null. */
export type MeasuredColumn = (sql: Sql) => Fragment

/** The reader of a request. */
export interface Reader {
  caller: { orgId: string }
  now: string
  read: RequestReads['read']
}

/** The records that pin a revision of a part. */
export type RecordKind = 'rfq' | 'offer' | 'order'

/** How features show the pictures of parts. `service.ts` provides it, because whom a model is shown is known to all. */
export interface Pictures {
  urls: PreviewUrls
  /** The column for an organization at a time, on rows of `sourcing.parts`. */
  ofPart(orgId: string, now: string): MeasuredColumn
  /** What the reader may know of the models of the parts of records that it reads, by the ids of the records. */
  ofRecords(kind: RecordKind, reader: Reader, ids: readonly string[]): Promise<ReadonlyMap<string, Measured>>
}

/**
 * Whether a pinned revision has a model. Who may know of it is asked for the records that have one, because Postgres
 * starts the plan of that question for each execution.
 */
export const hasModel = (sql: Sql, { partId, revision }: { partId: Fragment; revision: Fragment }) => sql`coalesce((
  select measured is not null from sourcing.part_revisions pinned
  where pinned.part_id = ${partId} and pinned.revision = ${revision}), false)`
