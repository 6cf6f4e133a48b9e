import type { Sql, Tx } from '../../../kit/db/client.ts'

/** Age at which an unassigned object is deleted, far longer than a job needs to assign it to a file. */
const UNASSIGNED_LIFETIME = '24 hours'

/** Called before an object is created. The object is deleted unless `cancelDeletion` is called in time. */
export const scheduleDeletion = (sql: Sql, key: string, now: string) => sql`
  insert into sourcing.scheduled_deletions (object_key, due_at)
  values (${key}, ${now}::timestamptz + ${UNASSIGNED_LIFETIME}::interval)`

/** Called when the object belongs to a file. No row if its deletion has started. */
export const cancelDeletion = (tx: Tx, key: string) => tx<{ object_key: string }[]>`
  delete from sourcing.scheduled_deletions where object_key = ${key} and not started returning object_key`

/** Objects of earlier attempts are due now, and again at their expiry, because a worker without a lease may write. */
export const scheduleDeletionOfAttempts = (tx: Tx, fileId: string, now: string) => tx`
  insert into sourcing.scheduled_deletions (object_key, due_at)
  select object_key, ${now}::timestamptz from sourcing.scheduled_deletions
  where object_key > ${`${fileId}.`} and object_key < ${`${fileId}/`}
  on conflict do nothing`

/** The object of an upload is due now, and again after its URL has expired, in case the URL is used once more. */
export const scheduleDeletionOfUpload = (tx: Tx, id: string, now: string) => tx`
  insert into sourcing.scheduled_deletions (object_key, due_at)
  select id, ${now}::timestamptz from sourcing.uploads where id = ${id}
  union select id, expires_at + interval '3 hours' from sourcing.uploads where id = ${id}
  on conflict do nothing`

/** An object may be due at several times. */
interface Deletion {
  object_key: string
  due_at: string
}

/** Starts deletions that are due, which can no longer be cancelled. Those of a crashed process start again. */
export const startDeletions = (sql: Sql, now: string, limit: number) => sql<Deletion[]>`
  update sourcing.scheduled_deletions set started = true
  where ctid = any(array(
    select ctid from sourcing.scheduled_deletions
    where due_at <= ${now} order by due_at limit ${limit} for update skip locked))
  returning object_key, due_at`

/** Concurrent cleanups may process the same deletions; neither waits for the other. */
const lockDeletions = (sql: Sql, deletions: readonly Deletion[]) => sql`
  select d.ctid
  from unnest(
    ${deletions.map(({ object_key }) => object_key)}::text[], ${deletions.map(({ due_at }) => due_at)}::timestamptz[])
    as given (object_key, due_at)
  join sourcing.scheduled_deletions d on d.object_key = given.object_key and d.due_at = given.due_at
  where d.started for update of d skip locked`

export const finishDeletions = (sql: Sql, deletions: readonly Deletion[]) => sql`
  delete from sourcing.scheduled_deletions where ctid = any(array(${lockDeletions(sql, deletions)}))`

/** Failed deletions stay started, and are due again later. */
export const postponeDeletions = (sql: Sql, deletions: readonly Deletion[], dueAt: string) => sql`
  with postponed as (
    delete from sourcing.scheduled_deletions
    where ctid = any(array(${lockDeletions(sql, deletions)})) returning object_key
  )
  insert into sourcing.scheduled_deletions (object_key, due_at, started)
  select distinct object_key, ${dueAt}::timestamptz, true from postponed
  on conflict (object_key, due_at) do update set started = true`
