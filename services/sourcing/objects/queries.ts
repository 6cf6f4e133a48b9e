import type { Sql, Tx } from '../../kit/db/client.ts'

/** How long an object may wait for the transaction that makes it a file's: far longer than any worker tries. */
const CLAIM_WITHIN = '24 hours'

/** Before an object is made: unless somebody takes the key off again, the object goes. */
export const doomObject = (sql: Sql, key: string, now: string) => sql`
  insert into sourcing.doomed_objects (object_key, due_at)
  values (${key}, ${now}::timestamptz + ${CLAIM_WITHIN}::interval)`

/** The object is a file's from now on. No row: its end has begun, and it is nobody's. */
export const claimObject = (tx: Tx, key: string) => tx<{ object_key: string }[]>`
  delete from sourcing.doomed_objects where object_key = ${key} and not dying returning object_key`

/**
 * What earlier tries left of a file that has come to its end: now, and once more at the last moment, for what somebody
 * writes who does not know yet that he is dead.
 */
export const doomTries = (tx: Tx, fileId: string, now: string) => tx`
  insert into sourcing.doomed_objects (object_key, due_at)
  select object_key, ${now}::timestamptz from sourcing.doomed_objects
  where object_key > ${`${fileId}.`} and object_key < ${`${fileId}/`}
  on conflict do nothing`

/** The object of an upload is needed no more: now, and once more when its address has expired. */
export const doomUpload = (tx: Tx, id: string, now: string) => tx`
  insert into sourcing.doomed_objects (object_key, due_at)
  select id, ${now}::timestamptz from sourcing.uploads where id = ${id}
  union select id, expires_at + interval '3 hours' from sourcing.uploads where id = ${id}
  on conflict do nothing`

/** An object that is to be deleted, as one of the moments at which it is due. */
export interface Death {
  object_key: string
  due_at: string
}

/** From here on nobody can claim these. Those of a sweeper that was killed come again. */
export const beginDeaths = (sql: Sql, now: string, limit: number) => sql<Death[]>`
  update sourcing.doomed_objects set dying = true
  where ctid = any(array(
    select ctid from sourcing.doomed_objects
    where due_at <= ${now} order by due_at limit ${limit} for update skip locked))
  returning object_key, due_at`

/** Two sweepers may have the same ones; neither waits for the other. */
const lockDeaths = (sql: Sql, deaths: readonly Death[]) => sql`
  select d.ctid
  from unnest(${deaths.map(({ object_key }) => object_key)}::text[], ${deaths.map(({ due_at }) => due_at)}::timestamptz[])
    as named (object_key, due_at)
  join sourcing.doomed_objects d on d.object_key = named.object_key and d.due_at = named.due_at
  where d.dying for update of d skip locked`

export const endDeaths = (sql: Sql, deaths: readonly Death[]) => sql`
  delete from sourcing.doomed_objects where ctid = any(array(${lockDeaths(sql, deaths)}))`

/** What could not be deleted is due again later, and still nobody's. */
export const postponeDeaths = (sql: Sql, deaths: readonly Death[], dueAt: string) => sql`
  with postponed as (
    delete from sourcing.doomed_objects where ctid = any(array(${lockDeaths(sql, deaths)})) returning object_key
  )
  insert into sourcing.doomed_objects (object_key, due_at, dying)
  select distinct object_key, ${dueAt}::timestamptz, true from postponed
  on conflict (object_key, due_at) do update set dying = true`
