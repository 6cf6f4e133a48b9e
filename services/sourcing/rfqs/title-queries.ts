import type { Sql, Tx } from '../../kit/db/client.ts'
import { isReadable } from '../parts/visibility.ts'

/** Starts the copy of a part's title at its first RFQ. A copy that runs starts again. */
export const startRefresh = (tx: Tx, partId: string) => tx`
  insert into sourcing.title_refreshes (part_id, last_id, waits_since) values (${partId}, '', clock_timestamp())
  on conflict (part_id) do update set last_id = ''`

/** The part that waits longest. No row where none waits, or where other replicas have locked all. */
export const lockRefresh = (tx: Tx) => tx<{ part_id: string; last_id: string }[]>`
  select part_id, last_id from sourcing.title_refreshes order by waits_since limit 1 for update skip locked`

/** The next RFQs of a part, locked so that their invitations are complete until the transaction ends. */
export const lockNextRfqs = (tx: Tx, partId: string, after: string, limit: number) => tx<{ id: string }[]>`
  select id from sourcing.rfqs where part_id = ${partId} and id > ${after} order by id limit ${limit} for update`

/**
 * Copies the title of the part to RFQs. A consumer that cannot read the part now keeps the last title that it could
 * read: otherwise a search would disclose the new one.
 */
export const refreshRfqs = (sql: Sql, ids: readonly string[]) => sql`
  update sourcing.rfqs set owner_part_title = fresh.title,
    part_title = case when is_readable then fresh.title else part_title end
  from (
    select rfq.id, part.title, exists (
      select from sourcing.parts where id = rfq.part_id and ${isReadable(sql, sql`rfq.consumer_org_id`)}) as is_readable
    from sourcing.rfqs rfq
    join sourcing.parts part on part.id = rfq.part_id
    where rfq.id = any(${[...ids]})
  ) fresh
  where rfqs.id = fresh.id
    and (owner_part_title is distinct from title or is_readable and part_title is distinct from title)`

/** Copies the title of the part to the invitations of those manufacturers of RFQs that can read the part. */
export const refreshInvitations = (sql: Sql, ids: readonly string[]) => sql`
  update sourcing.rfq_invitations invited set part_title = part.title
  from sourcing.parts part
  where invited.rfq_id = any(${[...ids]}) and part.id = invited.part_id and invited.part_title is distinct from part.title
    and exists (select from sourcing.parts where id = invited.part_id and ${isReadable(sql, sql`invited.org_id`)})`

export const advanceRefresh = (tx: Tx, partId: string, lastId: string) => tx`
  update sourcing.title_refreshes set last_id = ${lastId}, waits_since = clock_timestamp() where part_id = ${partId}`

export const endRefresh = (tx: Tx, partId: string) => tx`
  delete from sourcing.title_refreshes where part_id = ${partId}`
