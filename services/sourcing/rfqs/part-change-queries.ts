import type { Sql, Tx } from '../../kit/db/client.ts'
import { isSourceable } from '../parts/visibility.ts'

/**
 * Whether content or list of files of a part differ from the revision that an OPEN RFQ pins: on rows `rfq` and `part`.
 * A later revision alone is no difference, because the end of a copy or import also makes one.
 */
const differsFromPinned = (sql: Sql) => sql`(
  rfq.state = 'OPEN' and rfq.part_revision <> part.revision and not exists (
    select from sourcing.part_revisions pinned
    where pinned.part_id = part.id and pinned.revision = rfq.part_revision
      and pinned.content::text = part.content::text and pinned.business_unit_ids = part.business_unit_ids
      and pinned.custom_fields = part.custom_fields and pinned.file_ids = array(
        select file.id from sourcing.files file
        where file.part_id = part.id and file.removed_at is null order by file.id desc)))`

/**
 * Whether RFQs of a part or their invitations may have another title, or do not yet show that the part has changed. Of
 * more than `limit` RFQs some may.
 */
export const findStaleRfqs = (sql: Sql, partId: string, limit: number) => sql<[{ is_some: boolean }]>`
  select count(*) > ${limit} or coalesce(bool_or(is_stale), false) as is_some
  from (
    select rfq.owner_part_title is distinct from part.title or rfq.part_title is distinct from part.title
      or not rfq.part_changed and ${differsFromPinned(sql)}
      or exists (
        select from sourcing.rfq_invitations where rfq_id = rfq.id and part_title is distinct from part.title) as is_stale
    from sourcing.rfqs rfq join sourcing.parts part on part.id = rfq.part_id
    where rfq.part_id = ${partId} limit ${limit}::bigint + 1
  ) rfqs`

/** The next RFQs of a part, locked so that their invitations are complete until the transaction ends. */
export const lockNextRfqs = (tx: Tx, partId: string, after: string, limit: number) => tx<{ id: string }[]>`
  select id from sourcing.rfqs where part_id = ${partId} and id > ${after} order by id limit ${limit} for update`

/**
 * Copies the title of the part to RFQs. A consumer that does not read the part as it is now keeps the title that it
 * could read: otherwise a search would disclose the new one.
 */
export const refreshRfqs = (sql: Sql, ids: readonly string[]) => sql`
  update sourcing.rfqs set owner_part_title = fresh.title,
    part_title = case when is_readable then fresh.title else part_title end
  from (
    select rfq.id, part.title, exists (
      select from sourcing.parts where id = rfq.part_id and ${isSourceable(sql, sql`rfq.consumer_org_id`)}) as is_readable
    from sourcing.rfqs rfq
    join sourcing.parts part on part.id = rfq.part_id
    where rfq.id = any(${[...ids]})
  ) fresh
  where rfqs.id = fresh.id
    and (owner_part_title is distinct from title or is_readable and part_title is distinct from title)`

/** Copies the title of the part to the invitations of those manufacturers of RFQs that read the part as it is now. */
export const refreshInvitations = (sql: Sql, ids: readonly string[]) => sql`
  update sourcing.rfq_invitations invited set part_title = part.title
  from sourcing.parts part
  where invited.rfq_id = any(${[...ids]}) and part.id = invited.part_id and invited.part_title is distinct from part.title
    and exists (select from sourcing.parts where id = invited.part_id and ${isSourceable(sql, sql`invited.org_id`)})`

/** Those of OPEN RFQs whose part differs from the pinned revision. */
export const listDiffering = (tx: Tx, ids: readonly string[]) => tx<{ id: string }[]>`
  select rfq.id from sourcing.rfqs rfq join sourcing.parts part on part.id = rfq.part_id
  where rfq.id = any(${[...ids]}) and ${differsFromPinned(tx)}`

/** Ends the mark of an RFQ whose part is again as it was pinned. */
export const unmark = (tx: Tx, id: string) => tx<[{ document: string }]>`
  update sourcing.rfqs set part_changed = false where id = ${id} returning consumer_document as document`

export interface MarkedRfq {
  id: string
  partId: string
  consumerOrgId: string
  ipOwnerOrgId: string
  document: string
}

/** Marks the OPEN RFQs whose part differs from the pinned revision. Marked ones are not returned again. */
export const markChanged = (tx: Tx, ids: readonly string[], now: string) => tx<MarkedRfq[]>`
  update sourcing.rfqs rfq set part_changed = true, part_changed_since = ${now}
  from sourcing.parts part
  where rfq.id = any(${[...ids]}) and part.id = rfq.part_id and not part_changed and ${differsFromPinned(tx)}
  returning rfq.id, rfq.part_id as "partId", rfq.consumer_org_id as "consumerOrgId",
    rfq.ip_owner_org_id as "ipOwnerOrgId", rfq.consumer_document as document`
