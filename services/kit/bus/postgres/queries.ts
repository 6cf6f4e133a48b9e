import type { ServiceName } from '../../../../proto/services.ts'
import type { Sql } from '../../db/client.ts'
import type { Position } from '../driver/driver.ts'
import type { EventRow } from '../outbox/envelope.ts'
import { MAX_COUNTED } from '../outbox/queries.ts'

export interface OutboxPageRow extends EventRow {
  seq: string
  /** Whether its transaction lies in the span. Rows outside of it belong to earlier or later batches. */
  in_span: boolean
}

/**
 * The oldest running transaction, below which an outbox can be read. A running transaction may still commit rows with a
 * lower seq.
 */
export const horizonOf = (sql: Sql) => sql<{ horizon: string }[]>`
  select pg_snapshot_xmin(pg_current_snapshot())::text as horizon`

/**
 * The lowest transaction of a span with an event whose subject has an earlier event at or above the span: the earlier
 * event was written by a transaction that began later, and one between them is still running. Transaction ids above
 * those of this server come from the dump of another server.
 */
export const findOvertaken = (sql: Sql, service: ServiceName, { low, high }: Pick<Position, 'low' | 'high'>) => sql<
  { txid: string | null }[]
>`
  select min(later.txid)::text as txid
  from ${sql(service)}.published_events earlier
  join ${sql(service)}.published_events later on later.subject = earlier.subject and later.seq > earlier.seq
  where earlier.txid >= ${high}::xid8 and earlier.txid < pg_snapshot_xmax(pg_current_snapshot())
    and later.txid >= ${low}::xid8 and later.txid < ${high}::xid8`

export const OUTBOX_PAGE_ROWS = 100

/**
 * The next rows by seq of transactions between `low` and `high`. Of two transactions that changed one record, the later
 * one has the higher seq but possibly the lower transaction id, so rows are read by seq. The start is found by the
 * index on transaction ids, which skips the rows of earlier spans. The limit is a literal, because the generic plan
 * would estimate a parameter as a tenth of the table.
 */
export const listOutboxPage = (sql: Sql, service: ServiceName, { low, high, seq }: Position) => sql<OutboxPageRow[]>`
  with span as materialized (
    select seq from ${sql(service)}.published_events where txid >= ${low}::xid8 and txid < ${high}::xid8
  ), start as materialized (
    select case when ${seq}::bigint > 0 then ${seq}::bigint else (select min(seq) - 1 from span) end as seq
  )
  select e.seq, e.txid >= ${low}::xid8 and e.txid < ${high}::xid8 as in_span,
    e.id, e.type, e.subject, e.tenant_id, e.time, e.traceparent, e.data
  from ${sql(service)}.published_events e
  where e.seq > (select seq from start)
  order by e.seq limit 100`

export const countUnread = (sql: Sql, service: ServiceName, { low, high, seq }: Position) => sql<{ waiting: number }[]>`
  select count(*)::int as waiting from (
    select 1 from ${sql(service)}.published_events
    where txid >= ${low}::xid8 and (txid >= ${high}::xid8 or seq > ${seq}) limit ${MAX_COUNTED}
  ) as unread`
