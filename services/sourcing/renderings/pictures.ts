import type { Fragment, Sql } from '../../kit/db/client.ts'
import type { RequestReads } from '../../kit/limits/request-reads.ts'
import type { PreviewUrls } from './urls.ts'

/** A column of a part: what the reader may know of its models, `Measured` or null. */
export type MeasuredColumn = (sql: Sql) => Fragment

/** The reader of a request. */
export interface Reader {
  caller: { orgId: string }
  now: string
  read: RequestReads['read']
}

/** The pictures of a pinned revision whose newest model is one of the group `ip` and may not be released. */
export interface WithheldPicture {
  partId: string
  revision: number
  open: string | null
  ip: string | null
}

/** A column of an RFQ, an offer or an order: the key of the picture that its reader sees of the pinned revision. */
export type PinnedPicture = string | WithheldPicture | null

/** A pinned revision whose model of the group `ip` the organization reads. */
export interface ReleasedModel {
  partId: string
  revision: number
}

/** How features show the pictures of parts. `service.ts` provides it, because whom a model is shown is known to all. */
export interface Pictures {
  urls: PreviewUrls
  /** The column for an organization at a time, on rows of `sourcing.parts`. */
  ofPart(orgId: string, now: string): MeasuredColumn
  /** Which of the models the reader may see. */
  released(reader: Reader, withheld: readonly WithheldPicture[]): Promise<readonly ReleasedModel[]>
}

interface Pin {
  partId: Fragment
  revision: Fragment
  /** Whether the organization reads the revision, apart from its IP owner. */
  isReader: Fragment
}

/** Whether the newest model of `ip` or an open group is one of `ip`, on rows `pinned` of `sourcing.part_revisions`. */
export const hasIpModel = (sql: Sql) =>
  sql`pinned.measured -> 'ip' ->> 'model' is distinct from pinned.measured -> 'open' ->> 'model'`

/**
 * The column `PinnedPicture`. Whether a model of the group `ip` is released is asked by a statement of its own, for the
 * few rows that have one, because Postgres starts the plan of that question for each execution.
 */
export const pinnedPicture = (sql: Sql, orgId: string, { partId, revision, isReader }: Pin) => sql`(
  select case
    when pinned.ip_owner_org_id = ${orgId} then pinned.measured -> 'own' -> 'picture'
    when not ${isReader} then null
    when ${hasIpModel(sql)} then jsonb_build_object('partId', pinned.part_id, 'revision', pinned.revision,
      'open', pinned.measured -> 'open' -> 'picture', 'ip', pinned.measured -> 'ip' -> 'picture')
    else pinned.measured -> 'open' -> 'picture' end
  from sourcing.part_revisions pinned
  where pinned.part_id = ${partId} and pinned.revision = ${revision} and pinned.measured is not null)`
