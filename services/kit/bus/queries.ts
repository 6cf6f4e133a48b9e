import type { ServiceName } from '../../../proto/services.ts'
import type { Sql, Tx } from '../db/client.ts'
import type { EventRow } from './outbox/envelope.ts'

/** A session lock on a name: one holder in the whole database, gone with its session. */
export const takeSeat = (sql: Sql, seat: string) => sql<{ taken: boolean }[]>`
  select pg_try_advisory_lock(hashtextextended(${seat}, 0)) as taken`

export const releaseSeat = (sql: Sql, seat: string) => sql`
  select pg_advisory_unlock(hashtextextended(${seat}, 0))`

export const listenTo = (sql: Sql, channel: string) => sql`listen ${sql(channel)}`

/** How far a consumer has read a source. Numbers of Postgres stay text, which holds them whole. */
export interface Position {
  low: string
  high: string
  seq: string
  epoch: string | null
}

export interface Cursor extends Position {
  consumer: string
  source: string
  version: string
}

/** A consumer that is new begins with the oldest event there is. */
export const ensureCursors = (sql: Sql, consumer: string, sources: readonly string[]) => sql`
  insert into bus_cursors (consumer, source)
  select ${consumer}, s.source from unnest(${sources as string[]}::text[]) as s (source)
  on conflict (consumer, source) do nothing`

/** Of sources that the consumer does not read any more. */
export const forgetCursors = (sql: Sql, consumer: string, sources: readonly string[]) => sql`
  delete from bus_cursors where consumer = ${consumer} and source = any(${sources as string[]}::text[])`

export const listCursors = (sql: Sql, consumer: string) => sql<Cursor[]>`
  select consumer, source, version, low, high, seq, epoch from bus_cursors where consumer = ${consumer}`

/** Says that the consumer is alive; written once an hour at most. */
export const touchCursors = (sql: Sql, consumer: string) => sql`
  update bus_cursors set touched_at = now()
  where consumer = ${consumer} and touched_at < now() - interval '1 hour'`

/** Counts a batch that is about to be handled, in a transaction of its own: the count outlives a process that does not. */
export const beginAttempt = (sql: Sql, { consumer, source, version }: Cursor) => sql<{ attempts: number }[]>`
  update bus_cursors set attempts = attempts + 1
  where consumer = ${consumer} and source = ${source} and version = ${version}
  returning attempts`

/** One replica at a time: a row that another one holds, or has moved on, is not waited for. */
export const lockCursor = (tx: Tx, { consumer, source, version }: Cursor) => tx<{ version: string }[]>`
  select version from bus_cursors
  where consumer = ${consumer} and source = ${source} and version = ${version}
  for update skip locked`

export const moveCursor = (sql: Sql, { consumer, source, version }: Cursor, to: Position) => sql`
  update bus_cursors
  set version = version + 1, attempts = 0, low = ${to.low}::xid8, high = ${to.high}::xid8, seq = ${to.seq},
    epoch = ${to.epoch}, touched_at = now()
  where consumer = ${consumer} and source = ${source} and version = ${version}`

/** Takes charge of events; what comes back is new, the rest are copies. */
export const markSeen = (tx: Tx, consumer: string, ids: readonly string[]) => tx<{ event_id: string }[]>`
  insert into bus_seen (consumer, event_id)
  select ${consumer}, e.id from unnest(${ids as string[]}::text[]) as e (id)
  on conflict (consumer, event_id) do nothing
  returning event_id`

export const deleteSeen = (sql: Sql, seenBefore: string, limit: number) => sql`
  delete from bus_seen where ctid = any(array(
    select ctid from bus_seen where seen_at < ${seenBefore} order by seen_at limit ${limit}
  ))`

export interface OutboxPageRow extends EventRow {
  seq: string
  /** Whether its transaction lies in the span; the others were read before or will be read later. */
  in_span: boolean
}

/**
 * Up to where an outbox can be read. A transaction that is still running may yet commit rows of any lower seq, so
 * reading stops below the oldest of them. Both come as of one moment.
 */
export const horizonOf = (sql: Sql) => sql<{ horizon: string }[]>`
  select pg_snapshot_xmin(pg_current_snapshot())::text as horizon`

export const OUTBOX_PAGE_ROWS = 100

/**
 * The next rows by seq, with what lies between `low` and `high`: of two transactions that changed one record the later
 * one also took the later seq, while its transaction id may well be the lower. Where the span begins is found by
 * transaction id, so that a few new rows are not looked for among all the old ones. The limit is in the text because
 * the generic plan would take it for a tenth of the table.
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

/** Counting stops at this many: a longer queue is as alarming. */
const COUNTED_AT_MOST = 10_000

export const countUnread = (sql: Sql, service: ServiceName, { low, high, seq }: Position) => sql<{ waiting: number }[]>`
  select count(*)::int as waiting from (
    select 1 from ${sql(service)}.published_events
    where txid >= ${low}::xid8 and (txid >= ${high}::xid8 or seq > ${seq}) limit ${COUNTED_AT_MOST}
  ) as unread`

export const countSetAside = (sql: Sql) => sql<{ consumer: string; parked: number; dead: number }[]>`
  select consumer, sum(parked)::int as parked, sum(dead)::int as dead
  from (
    select consumer, count(*) as parked, 0 as dead from bus_parked group by consumer
    union all
    select consumer, 0, count(*) from dead_letters group by consumer
  ) as set_aside
  group by consumer`

export interface ParkedEvent {
  consumer: string
  event_id: string
  source: string
  subject: string
  envelope: string
  tries: number
  error: string | null
}

export interface NewlyParked extends ParkedEvent {
  pause_ms: number
}

export interface ParkedRow extends ParkedEvent {
  position: string
  alone: boolean
}

/** Of these subjects, those that have an event set aside: the next one has to wait behind it. */
export const listHeldBack = (tx: Tx, consumer: string, sources: readonly string[], subjects: readonly string[]) => tx<
  { source: string; subject: string }[]
>`
  select s.source, s.subject
  from unnest(${sources as string[]}::text[], ${subjects as string[]}::text[]) as s (source, subject)
  where exists (
    select 1 from bus_parked p
    where p.consumer = ${consumer} and p.source = s.source and p.subject = s.subject
  )`

/** In this order, which is the order in which events of one subject are handled: only the first of each is due. */
export const park = (tx: Tx, events: readonly NewlyParked[], alone: boolean) => tx`
  insert into bus_parked (consumer, event_id, source, subject, envelope, tries, error, alone, next_try_at)
  select e.consumer, e.event_id, e.source, e.subject, e.envelope, e.tries, e.error, ${alone},
    case when row_number() over (partition by e.source, e.subject order by e.position) = 1 and not exists (
      select 1 from bus_parked p
      where p.consumer = e.consumer and p.source = e.source and p.subject = e.subject
    ) then now() + e.pause_ms * interval '1 ms' end
  from unnest(
    ${events.map((e) => e.consumer)}::text[], ${events.map((e) => e.event_id)}::text[],
    ${events.map((e) => e.source)}::text[], ${events.map((e) => e.subject)}::text[],
    ${events.map((e) => e.envelope)}::text[], ${events.map((e) => e.tries)}::integer[],
    ${events.map((e) => e.error)}::text[], ${events.map((e) => e.pause_ms)}::float8[]
  ) with ordinality as e (consumer, event_id, source, subject, envelope, tries, error, pause_ms, position)
  order by e.position`

/** How long until an event that was set aside is due. */
export const nextParked = (sql: Sql, consumer: string) => sql<{ due_ms: number | null }[]>`
  select (extract(epoch from min(next_try_at) - now()) * 1000)::float8 as due_ms
  from bus_parked where consumer = ${consumer} and next_try_at is not null`

/**
 * Takes the event that is due longest and counts the try before it begins: the count outlives a process that does not.
 * Until the lease ends nobody else takes it.
 */
export const claimParked = (sql: Sql, consumer: string, leaseMs: number) => sql<ParkedRow[]>`
  update bus_parked set tries = tries + 1, next_try_at = now() + ${leaseMs} * interval '1 ms'
  where position = (
    select position from bus_parked
    where consumer = ${consumer} and next_try_at <= now()
    order by next_try_at limit 1
    for update skip locked
  )
  returning position, consumer, event_id, source, subject, envelope, tries, error, alone`

/** Those that may have been handled together when a process died are handled one by one from now on. */
export const separate = (sql: Sql, { consumer, source, subject }: ParkedEvent, limit: number) => sql`
  update bus_parked set alone = true where position = any(array(
    select position from bus_parked
    where consumer = ${consumer} and source = ${source} and subject = ${subject}
    order by position limit ${limit}
  ))`

/** Keeps batches and other tries of the consumer out until the transaction ends. */
export const lockConsumer = (tx: Tx, consumer: string) => tx<{ source: string }[]>`
  select source from bus_cursors where consumer = ${consumer} order by source for update`

/** What is set aside of a subject, in its order. */
export const listParked = (tx: Tx, { consumer, source, subject }: ParkedEvent, limit: number) => tx<ParkedRow[]>`
  select position, consumer, event_id, source, subject, envelope, tries, error, alone from bus_parked
  where consumer = ${consumer} and source = ${source} and subject = ${subject}
  order by position limit ${limit}`

export const deleteParked = (tx: Tx, positions: readonly string[]) => tx`
  delete from bus_parked where position = any(${positions as string[]}::bigint[])`

/** The first of a subject that is left is due now. */
export const promoteParked = (tx: Tx, { consumer, source, subject }: ParkedEvent) => tx`
  update bus_parked set next_try_at = now() where position = (
    select min(position) from bus_parked
    where consumer = ${consumer} and source = ${source} and subject = ${subject}
  )`

export const postponeParked = (sql: Sql, position: string, tries: number, pauseMs: number, error: string) => sql`
  update bus_parked set tries = ${tries}, next_try_at = now() + ${pauseMs} * interval '1 ms', error = ${error}
  where position = ${position}`

export interface DeadLetter {
  consumer: string
  event_id: string
  type: string | null
  subject: string | null
  envelope: string
  tries: number
  error: string
}

export const bury = (tx: Tx, letter: DeadLetter) => tx`
  insert into dead_letters (consumer, event_id, type, subject, envelope, tries, error)
  values (${letter.consumer}, ${letter.event_id}, ${letter.type}, ${letter.subject}, ${letter.envelope},
    ${letter.tries}, ${letter.error})
  on conflict (consumer, event_id) do nothing`

/** Gives what a consumer gave up another round of tries, behind whatever is set aside of the same subjects by now. */
export const revive = (sql: Sql, consumer: string) => sql`
  with revived as (
    delete from dead_letters where consumer = ${consumer} and type is not null
    returning consumer, event_id, envelope::jsonb ->> 'source' as source, subject, envelope, died_at
  )
  insert into bus_parked (consumer, event_id, source, subject, envelope, alone, next_try_at)
  select r.consumer, r.event_id, r.source, r.subject, r.envelope, true,
    case when row_number() over (partition by r.source, r.subject order by r.died_at, r.event_id) = 1 and not exists (
      select 1 from bus_parked p
      where p.consumer = r.consumer and p.source = r.source and p.subject = r.subject
    ) then now() end
  from revived r
  order by r.died_at, r.event_id
  on conflict (consumer, event_id) do nothing`
