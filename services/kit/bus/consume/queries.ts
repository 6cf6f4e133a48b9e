import type { Sql, Tx } from '../../db/client.ts'
import { commitsAsynchronously } from '../../db/conditions.ts'
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

export const countRetries = (sql: Sql) => sql<{ consumer: string; retrying: number; dead: number }[]>`
  select consumer, sum(retrying)::int as retrying, sum(dead)::int as dead
  from (
    select consumer, count(*) as retrying, 0 as dead from retry_events group by consumer
    union all
    select consumer, 0, count(*) from dead_letters group by consumer
  ) as counts
  group by consumer`

/** The kind of the jobs of a consumer, one for each subject with queued events. */
export const retryKind = (consumer: string) => `event-retry:${consumer}`

/** Events of one subject of a source are handled in order. */
export interface Subject {
  source: string
  subject: string
}

interface RetryEvent extends Subject {
  event_id: string
  envelope: string
}

/** Returns those of the subjects that have a queued event. Their next events wait behind it. */
export const listBlockedSubjects = (
  tx: Tx,
  consumer: string,
  sources: readonly string[],
  subjects: readonly string[],
) => tx<Subject[]>`
  select s.source, s.subject
  from unnest(${sources as string[]}::text[], ${subjects as string[]}::text[]) as s (source, subject)
  where exists (
    select 1 from retry_events r
    where r.consumer = ${consumer} and r.source = s.source and r.subject = s.subject
  )`

/** Queues events in this order, with a job for each subject. That of a failed first event is due after a pause. */
export const insertRetries = (
  tx: Tx,
  consumer: string,
  events: readonly RetryEvent[],
  failed: { id: string; pauseMs: number },
) => tx`
  with events as materialized (
    select e.event_id, e.source, e.subject, e.envelope, e.position
    from unnest(
      ${events.map((e) => e.event_id)}::text[], ${events.map((e) => e.source)}::text[],
      ${events.map((e) => e.subject)}::text[], ${events.map((e) => e.envelope)}::text[]
    ) with ordinality as e (event_id, source, subject, envelope, position)
  ), queued as (
    insert into retry_events (consumer, event_id, source, subject, envelope)
    select ${consumer}, event_id, source, subject, envelope from events order by position
  )
  insert into jobs (kind, id, data, attempts, created_at, due_at)
  select ${retryKind(consumer)}, source || E'\\n' || subject, jsonb_build_object('source', source, 'subject', subject),
    (event_id = ${failed.id})::integer, now(),
    now() + case when event_id = ${failed.id} then ${failed.pauseMs} * interval '1 ms' else interval '0' end
  from (select distinct on (source, subject) event_id, source, subject from events order by source, subject, position) first
  on conflict do nothing`

/** Locks the consumer against concurrent batches and retries. */
export const lockConsumer = (tx: Tx, consumer: string) => tx<{ source: string }[]>`
  select source from bus_cursors where consumer = ${consumer} order by source for update`

/** The queued events of a subject, in order. */
export const listRetries = (tx: Tx, consumer: string, { source, subject }: Subject, limit: number) => tx<
  { position: string; envelope: string }[]
>`
  select position, envelope from retry_events
  where consumer = ${consumer} and source = ${source} and subject = ${subject}
  order by position limit ${limit}`

export const deleteRetry = (tx: Tx, position: string) => tx`delete from retry_events where position = ${position}`

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
  ), queued as (
    insert into retry_events (consumer, event_id, source, subject, envelope)
    select consumer, event_id, source, subject, envelope from requeued order by given_up_at, event_id
    on conflict (consumer, event_id) do nothing
    returning source, subject
  ), started as (
    insert into jobs (kind, id, data, created_at, due_at)
    select distinct ${retryKind(consumer)}, source || E'\\n' || subject,
      jsonb_build_object('source', source, 'subject', subject), now(), now()
    from queued
    -- Waits for a running job, which locks its row and may end after the events that it has read.
    on conflict (kind, id) do update set due_at = least(jobs.due_at, excluded.due_at)
  )
  select from queued`
