import { commitsAsynchronously } from '../../db/async-commit.ts'
import type { Sql, Tx } from '../../db/client.ts'
import type { Cursor, Position } from '../driver/driver.ts'

/** A new consumer starts at the oldest event. */
export const ensureCursors = (sql: Sql, consumer: string, sources: readonly string[]) => sql`
  insert into bus_cursors (consumer, source)
  select ${consumer}, s.source from unnest(${sources as string[]}::text[]) as s (source)
  on conflict (consumer, source) do nothing`

/** Deletes the cursors of sources that the consumer no longer reads, because they would keep outbox rows. */
export const deleteCursors = (sql: Sql, consumer: string, sources: readonly string[]) => sql`
  delete from bus_cursors where consumer = ${consumer} and source = any(${sources as string[]}::text[])`

/** Deletes every cursor of a consumer that no replica runs. */
export const forgetConsumer = (sql: Sql, consumer: string) => sql`delete from bus_cursors where consumer = ${consumer}`

export const listCursors = (sql: Sql, consumer: string) => sql<Cursor[]>`
  select consumer, source, version, low, high, seq, epoch from bus_cursors where consumer = ${consumer}`

/** Marks the consumer as alive, at most once an hour. */
export const touchCursors = (sql: Sql, consumer: string) => sql`
  update bus_cursors set touched_at = now()
  where consumer = ${consumer} and touched_at < now() - interval '1 hour'`

/** Counts an attempt at a batch before it starts, so that the count survives a crash of the consumer. */
export const beginAttempt = (sql: Sql, { consumer, source, version }: Cursor) => sql<{ attempts: number }[]>`
  update bus_cursors set attempts = attempts + 1
  where consumer = ${consumer} and source = ${source} and version = ${version} and ${commitsAsynchronously(sql)}
  returning attempts`

/** Moves the cursor, which stays locked until the commit. No row is updated if another process has moved it. */
export const moveCursor = (sql: Sql, { consumer, source, version }: Cursor, to: Position) => sql`
  update bus_cursors
  set version = version + 1, attempts = 0, low = ${to.low}::xid8, high = ${to.high}::xid8, seq = ${to.seq},
    epoch = ${to.epoch}, touched_at = now()
  where consumer = ${consumer} and source = ${source} and version = ${version}`

/** Marks events as processed. Returns the new ones; the others are duplicates. */
export const markProcessed = (tx: Tx, consumer: string, ids: readonly string[]) => tx<{ event_id: string }[]>`
  insert into processed_events (consumer, event_id)
  select ${consumer}, e.id from unnest(${ids as string[]}::text[]) as e (id)
  on conflict (consumer, event_id) do nothing
  returning event_id`

export const deleteProcessed = (sql: Sql, processedBefore: string, limit: number) => sql`
  delete from processed_events where ctid = any(array(
    select ctid from processed_events where processed_at < ${processedBefore} order by processed_at limit ${limit}
  ))`

export const countRetries = (sql: Sql) => sql<{ consumer: string; retrying: number; dead: number }[]>`
  select consumer, sum(retrying)::int as retrying, sum(dead)::int as dead
  from (
    select consumer, count(*) as retrying, 0 as dead from retry_events group by consumer
    union all
    select consumer, 0, count(*) from dead_letters group by consumer
  ) as counts
  group by consumer`

export interface RetryEvent {
  consumer: string
  event_id: string
  source: string
  subject: string
  envelope: string
  tries: number
  error: string | null
}

interface NewRetry extends RetryEvent {
  pause_ms: number
}

export interface RetryRow extends RetryEvent {
  position: string
  isolated: boolean
  /** Attempts that a failure of a dependency ended. */
  interruptions: number
}

/** Returns those of the subjects that have a queued event. Their next events wait behind it. */
export const listBlockedSubjects = (
  tx: Tx,
  consumer: string,
  sources: readonly string[],
  subjects: readonly string[],
) => tx<{ source: string; subject: string }[]>`
  select s.source, s.subject
  from unnest(${sources as string[]}::text[], ${subjects as string[]}::text[]) as s (source, subject)
  where exists (
    select 1 from retry_events r
    where r.consumer = ${consumer} and r.source = s.source and r.subject = s.subject
  )`

/** Queues events in this order. Only the first event of each subject gets a due time. */
export const insertRetries = (tx: Tx, events: readonly NewRetry[], isolated: boolean) => tx`
  insert into retry_events (consumer, event_id, source, subject, envelope, tries, error, isolated, next_try_at)
  select e.consumer, e.event_id, e.source, e.subject, e.envelope, e.tries, e.error, ${isolated},
    case when row_number() over (partition by e.source, e.subject order by e.position) = 1 and not exists (
      select 1 from retry_events r
      where r.consumer = e.consumer and r.source = e.source and r.subject = e.subject
    ) then now() + e.pause_ms * interval '1 ms' end
  from unnest(
    ${events.map((e) => e.consumer)}::text[], ${events.map((e) => e.event_id)}::text[],
    ${events.map((e) => e.source)}::text[], ${events.map((e) => e.subject)}::text[],
    ${events.map((e) => e.envelope)}::text[], ${events.map((e) => e.tries)}::integer[],
    ${events.map((e) => e.error)}::text[], ${events.map((e) => e.pause_ms)}::float8[]
  ) with ordinality as e (consumer, event_id, source, subject, envelope, tries, error, pause_ms, position)
  order by e.position`

/** Time until the next queued event is due. */
export const nextRetry = (sql: Sql, consumer: string) => sql<{ due_ms: number | null }[]>`
  select (extract(epoch from min(next_try_at) - now()) * 1000)::float8 as due_ms
  from retry_events where consumer = ${consumer} and next_try_at is not null`

/**
 * Begins an attempt at the event that has been due longest. It is counted before it starts, so that the count survives a
 * crash of the consumer's leader; the next leader tries again after the pause.
 */
export const beginRetry = (sql: Sql, consumer: string, pausesMs: readonly number[]) => sql<RetryRow[]>`
  update retry_events set tries = tries + 1, next_try_at = now()
    + (${pausesMs as number[]}::float8[])[least(tries + 1, ${pausesMs.length})] * interval '1 ms'
  where position = (
    select position from retry_events where consumer = ${consumer} and next_try_at <= now()
    order by next_try_at limit 1 for update
  )
  returning position, consumer, event_id, source, subject, envelope, tries, interruptions, error, isolated`

/** Marks the events that may have been handled together when a process crashed, to be handled one by one. */
export const isolateQueue = (sql: Sql, { consumer, source, subject }: RetryEvent, limit: number) => sql`
  update retry_events set isolated = true where position = any(array(
    select position from retry_events
    where consumer = ${consumer} and source = ${source} and subject = ${subject}
    order by position limit ${limit}
  ))`

/** Locks the consumer against concurrent batches and retries. */
export const lockConsumer = (tx: Tx, consumer: string) => tx<{ source: string }[]>`
  select source from bus_cursors where consumer = ${consumer} order by source for update`

/** The queued events of a subject, in order. */
export const listRetries = (tx: Tx, { consumer, source, subject }: RetryEvent, limit: number) => tx<RetryRow[]>`
  select position, consumer, event_id, source, subject, envelope, tries, interruptions, error, isolated from retry_events
  where consumer = ${consumer} and source = ${source} and subject = ${subject}
  order by position limit ${limit}`

export const deleteRetries = (tx: Tx, positions: readonly string[]) => tx`
  delete from retry_events where position = any(${positions as string[]}::bigint[])`

/** Makes the next event of a subject due. */
export const promoteNext = (tx: Tx, { consumer, source, subject }: RetryEvent) => tx`
  update retry_events set next_try_at = now() where position = (
    select min(position) from retry_events
    where consumer = ${consumer} and source = ${source} and subject = ${subject}
  )`

export const postponeRetry = (sql: Sql, position: string, tries: number, pauseMs: number, error: string) => sql`
  update retry_events set tries = ${tries}, next_try_at = now() + ${pauseMs} * interval '1 ms', error = ${error}
  where position = ${position}`

/** Postpones an event whose attempt was ended by a failure of a dependency. */
export const postponeInterrupted = (sql: Sql, position: string, pauseMs: number, error: string) => sql`
  update retry_events set
    interruptions = interruptions + 1, next_try_at = now() + ${pauseMs} * interval '1 ms', error = ${error}
  where position = ${position}`

interface DeadLetter {
  consumer: string
  event_id: string
  type: string | null
  subject: string | null
  envelope: string
  tries: number
  error: string
}

export const insertDeadLetter = (tx: Tx, letter: DeadLetter) => tx`
  insert into dead_letters (consumer, event_id, type, subject, envelope, tries, error)
  values (${letter.consumer}, ${letter.event_id}, ${letter.type}, ${letter.subject}, ${letter.envelope},
    ${letter.tries}, ${letter.error})
  on conflict (consumer, event_id) do nothing`

interface ListedDeadLetter {
  consumer: string
  event_id: string
  /** Null for a message that was not an event. */
  type: string | null
  subject: string | null
  tries: number
  error: string
  given_up_at: string
}

/** The oldest dead letters of a service. */
export const listDeadLetters = (sql: Sql, limit: number) => sql<ListedDeadLetter[]>`
  select consumer, event_id, type, subject, tries, error, given_up_at from dead_letters
  order by given_up_at, consumer, event_id limit ${limit}`

export const findDeadLetter = (sql: Sql, consumer: string, eventId: string) => sql<
  (ListedDeadLetter & { envelope: string })[]
>`
  select consumer, event_id, type, subject, tries, error, given_up_at, envelope from dead_letters
  where consumer = ${consumer} and event_id = ${eventId}`

export const deleteDeadLetter = (sql: Sql, consumer: string, eventId: string) => sql<{ event_id: string }[]>`
  delete from dead_letters where consumer = ${consumer} and event_id = ${eventId} returning event_id`

/** Queues the dead letters of a consumer for another round of attempts, behind queued events of the same subjects. */
export const requeueDeadLetters = (sql: Sql, consumer: string) => sql`
  with requeued as (
    delete from dead_letters where consumer = ${consumer} and type is not null
    returning consumer, event_id, envelope::jsonb ->> 'source' as source, subject, envelope, given_up_at
  )
  insert into retry_events (consumer, event_id, source, subject, envelope, isolated, next_try_at)
  select d.consumer, d.event_id, d.source, d.subject, d.envelope, true,
    case when row_number() over (partition by d.source, d.subject order by d.given_up_at, d.event_id) = 1 and not exists (
      select 1 from retry_events r
      where r.consumer = d.consumer and r.source = d.source and r.subject = d.subject
    ) then now() end
  from requeued d
  order by d.given_up_at, d.event_id
  on conflict (consumer, event_id) do nothing`
