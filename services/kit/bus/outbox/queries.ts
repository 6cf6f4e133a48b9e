import type { ServiceName } from '../../../../proto/services.ts'
import { notificationOf } from '../../db/announcements.ts'
import type { Pool, Sql, Tx } from '../../db/client.ts'
import { commitsAsynchronously } from '../../db/conditions.ts'
import type { EventRow } from './envelope.ts'

export interface NewRow extends EventRow {
  time: string
}

export interface OutboxRow extends EventRow {
  seq: string
}

/** NOTIFY channel for the subscribed events of a service. */
export const channelOf = (service: ServiceName) => `events_${service}`
/** Channel that announces the types of committed events of a service. */
export const commitsOf = (service: ServiceName) => `commits_${service}`
export const HEARTBEAT_CHANNEL = 'heartbeats'

/** Stores events in order. */
export const storeEvents = (tx: Tx, rows: readonly NewRow[]) => tx`
  insert into outbox (id, type, subject, tenant_id, time, traceparent, data)
  select e.id, e.type, e.subject, e.tenant_id, e.time, e.traceparent, e.data
  from unnest(
    ${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.type)}::text[],
    ${rows.map((row) => row.subject)}::text[], ${rows.map((row) => row.tenant_id)}::text[],
    ${rows.map((row) => row.time)}::timestamptz[], ${rows.map((row) => row.traceparent)}::text[],
    ${rows.map((row) => row.data)}::text[]
  ) with ordinality as e (id, type, subject, tenant_id, time, traceparent, data, position)
  order by e.position`

/**
 * Notifies of subscribed events at commit, in order. The commit takes a lock of the whole server, so only these rare
 * events notify. The channel is named after the schema of the transaction. Long events are notified by id and fetched.
 */
export const notifyOf = (tx: Tx, rows: readonly NewRow[]) => tx`
  select pg_notify('events_' || current_schema(), n.payload)
  from unnest(${rows.map((row) => notificationOf(row, { id: row.id, type: row.type }))}::text[])
    with ordinality as n (payload, position)
  order by n.position`

/** One event of any service, for a notification that contains only its id. */
export const findPublished = (sql: Sql, service: ServiceName, id: string) => sql<EventRow[]>`
  select id, type, subject, tenant_id, time, traceparent, data
  from ${sql(service)}.published_events where id = ${id}`

/** Unpublished rows, oldest first. A late commit appears late, but before later rows of its subject. */
export const listUnsent = (sql: Sql, limit: number) => sql<OutboxRow[]>`
  select seq, id, type, subject, tenant_id, time, traceparent, data
  from outbox where sent_at is null
  order by seq limit ${limit}`

/** Rows that a crash of Postgres makes unsent again are published twice, and consumers drop the duplicates. */
export const markSent = (sql: Sql, seqs: readonly string[]) => sql`
  update outbox set sent_at = now() where seq = any(${seqs as string[]}::bigint[]) and ${commitsAsynchronously(sql)}`

/**
 * The lowest cursor of the reading service's consumers in the outbox of a service. A cursor that was not touched for
 * `forgottenAfter` belongs to a removed consumer and is ignored.
 */
export const findLowestCursor = (
  sql: Sql,
  { reader, service }: { reader: ServiceName; service: ServiceName },
  forgottenAfter: string,
) => sql<{ low: string | null }[]>`
  select min(low)::text as low from ${sql(reader)}.published_cursors
  where source = ${service} and touched_at > now() - ${forgottenAfter}::interval`

/** Marks rows that all consumers on Postgres have read: below every cursor and the oldest running transaction. */
export const markRead = (sql: Sql, cursors: readonly string[], limit: number) => sql`
  with passed as (
    select least(pg_snapshot_xmin(pg_current_snapshot()), min(c.low::xid8)) as below
    from unnest(${cursors as string[]}::text[]) as c (low)
  )
  update outbox set sent_at = now()
  where seq = any(array(
    select seq from outbox where sent_at is null and txid < (select below from passed) order by seq limit ${limit}
  ))`

export const notifyHeartbeat = (sql: Sql, service: ServiceName) => sql`
  select pg_notify(${HEARTBEAT_CHANNEL}, ${service}) where ${commitsAsynchronously(sql)}`

/** Counting stops here, because a longer queue needs no exact number. */
export const MAX_COUNTED = 10_000

export const measureUnsent = (sql: Sql) => sql<{ waiting: number; oldest_ms: number }[]>`
  select count(*)::int as waiting,
    coalesce(extract(epoch from now() - min(time)) * 1000, 0)::float8 as oldest_ms
  from (select time from outbox where sent_at is null order by seq limit ${MAX_COUNTED}) as unsent`

/**
 * Marks all events since a time as unpublished, so that they are published again. The rows get this transaction's id,
 * so that cursors on Postgres also read them again, even in a database that was restored on another server.
 */
export const markUnsent = (sql: Pool, service: ServiceName, since: string) => sql`
  update ${sql(service)}.outbox set sent_at = null, txid = pg_current_xact_id() where time >= ${since}`
