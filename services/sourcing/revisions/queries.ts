import { MAX_LISTED_PINS } from '../../../proto/http/sourcing/part-revisions.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { GREATEST_INTEGER } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'
import { isUnfinished } from '../orders/visibility.ts'
import { isRevisionReader } from '../parts/visibility.ts'

/** The pinned revisions of an own part, newest first. */
export const listRevisions = (sql: Sql, partId: string, { after, limit, offset }: PageWindow) => sql<DocumentRow[]>`
  select revision::text as position, concat(
    '{"revision":', revision, ',"pinnedTime":', to_json(sourcing.api_time(pinned_at)),
    ',"pinCount":', rfqs.count + orders.count,
    ',"pins":[', concat_ws(',', orders.pins, rfqs.pins), ']}') as document
  from (
    select part_id, revision, ip_owner_org_id, pinned_at from sourcing.part_revisions
    where part_id = ${partId} and revision < ${after ?? GREATEST_INTEGER}::integer
    order by revision desc limit ${limit} offset ${offset}
  ) page
  cross join lateral (
    select count(*) as count, string_agg(concat('{"type":"RFQ","id":', to_json(id), ',"serialNumber":',
      to_json(serial_number), '}'), ',' order by id desc) filter (where place <= ${MAX_LISTED_PINS}) as pins
    from (select id, serial_number, row_number() over (order by id desc) as place from sourcing.rfqs
      where rfqs.part_id = page.part_id and part_revision = revision) pins
  ) rfqs
  cross join lateral (
    select count(*) as count, string_agg(concat('{"type":"ORDER","id":', to_json(id), ',"serialNumber":',
      to_json(serial_number), '}'), ',' order by id desc) filter (where place <= ${MAX_LISTED_PINS}) as pins
    from (select id, serial_number, row_number() over (order by id desc) as place from sourcing.orders
      where orders.ip_owner_org_id = page.ip_owner_org_id and orders.part_id = page.part_id
        and part_revision = revision) pins
  ) orders
  order by revision desc`

/** The JSON of a pinned revision for an organization; no row where the organization may not read it. */
export const findRevision = (sql: Sql, orgId: string, partId: string, revision: number) => sql<{ document: string }[]>`
  select case when pinned.ip_owner_org_id = ${orgId}
    then sourcing.owner_part_document(part_at, sourcing.part_document(part_at))
    else sourcing.part_document(part_at) end as document
  from sourcing.part_revisions pinned
  left join sourcing.parts part on part.id = pinned.part_id
  cross join lateral sourcing.part_at(pinned, part) part_at
  where pinned.part_id = ${partId} and pinned.revision = ${revision}
    and (pinned.ip_owner_org_id = ${orgId} or ${isRevisionReader(sql, orgId)})`

/**
 * The parts of the revisions that are due, locked, so that files are not removed from them meanwhile. A part that is
 * being changed is left to the next clean-up.
 */
export const lockDueParts = (tx: Tx, { now, limit }: Pick<Sweep, 'now' | 'limit'>) => tx<{ part_id: string }[]>`
  with due as (
    select part_id from sourcing.part_revisions where due_at <= ${now} order by due_at limit ${limit}
  ), locked as materialized (
    select id from sourcing.parts where id in (select part_id from due) for no key update skip locked
  )
  select distinct part_id from due
  where part_id in (select id from locked) or not exists (select from sourcing.parts where id = part_id)`

/**
 * Postpones the check of revisions that something still needs, and returns the others of those of these locked parts
 * that are due.
 */
export const sweepDue = (
  tx: Tx,
  partIds: readonly string[],
  { now, rfqsEndedBefore, ordersPlacedBefore, nextCheck, limit }: Sweep,
) => tx<{ part_id: string }[]>`
  with due as materialized (
    select part_id, revision,
      exists (select from sourcing.orders
        where orders.ip_owner_org_id = due.ip_owner_org_id and orders.part_id = due.part_id
          and part_revision = due.revision and (created_at > ${ordersPlacedBefore} or ${isUnfinished(tx)}))
      or exists (select from sourcing.rfqs where rfqs.part_id = due.part_id and part_revision = due.revision
        and (state in ('OPEN', 'CLOSED') or state_since > ${rfqsEndedBefore}))
      or exists (select from sourcing.rfqs join sourcing.rfq_file_releases release on release.rfq_id = rfqs.id
        where rfqs.part_id = due.part_id and release.part_revision = due.revision and ended_at is null) as is_needed
    from sourcing.part_revisions due
    where part_id = any(${[...partIds]}) and due_at <= ${now} order by due_at limit ${limit} for update skip locked
  ), postponed as (
    update sourcing.part_revisions pinned set due_at = ${nextCheck} from due
    where is_needed and pinned.part_id = due.part_id and pinned.revision = due.revision
    returning null::text as part_id
  ), deleted as (
    delete from sourcing.part_revisions pinned using due
    where not is_needed and pinned.part_id = due.part_id and pinned.revision = due.revision
    returning pinned.part_id
  )
  select part_id from postponed union all select part_id from deleted`

interface Sweep {
  now: string
  /** RFQs without orders that ended before need no revision. */
  rfqsEndedBefore: string
  /** Finished orders that were placed before need no revision. */
  ordersPlacedBefore: string
  nextCheck: string
  limit: number
}

/** Deletes the removed files of parts that pinned revisions no longer list. */
export const deleteUnpinned = (sql: Sql, partIds: readonly string[]) => sql`
  delete from sourcing.files
  where part_id = any(${[...partIds]}) and removed_at is not null and not sourcing.is_pinned(part_id, id)`
