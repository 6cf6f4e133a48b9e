import type { Sql, Tx } from '../../kit/db/client.ts'

export interface NewUpload {
  id: string
  orgId: string
  userId: string
  name: string
  public: boolean
  expiresAt: string
}

/** One request of an organization counts at a time: two at once would both find room for the last one. */
export const lockQuota = (tx: Tx, orgId: string) => tx`
  select pg_advisory_xact_lock(hashtextextended(${`uploads ${orgId}`}, 0))`

export const countOpenUploads = (sql: Sql, orgId: string, now: string) => sql<[{ open: number }]>`
  select count(*)::int as open from sourcing.uploads
  where org_id = ${orgId} and state = 'OPEN' and expires_at > ${now}`

export const insertUpload = (
  sql: Sql,
  { id, orgId, userId, name, public: isPublic, expiresAt }: NewUpload,
  now: string,
) =>
  sql`
    insert into sourcing.uploads (id, org_id, user_id, name, public, created_at, expires_at)
    values (${id}, ${orgId}, ${userId}, ${name}, ${isPublic}, ${now}, ${expiresAt})`

/** An upload to which bytes may still be sent, whoever sends them: the address is the credential. */
export const findOpenUpload = (sql: Sql, id: string) => sql<{ org_id: string }[]>`
  select org_id from sourcing.uploads where id = ${id} and state = 'OPEN'`

/**
 * Uploads whose time is over: nobody can add them any more, and their objects go; once more when a transfer that had begun
 * before cannot go on any longer.
 */
export const endUploads = (sql: Sql, now: string, limit: number) => sql<{ id: string }[]>`
  with ended as (
    update sourcing.uploads set state = 'DEAD'
    where id = any(array(
      select id from sourcing.uploads
      where state = 'OPEN' and expires_at <= ${now} order by expires_at limit ${limit} for update skip locked))
    returning id, expires_at
  ), doomed as (
    insert into sourcing.doomed_objects (object_key, due_at)
    select id, ${now}::timestamptz from ended union select id, expires_at + interval '3 hours' from ended
    on conflict do nothing
  )
  select id from ended`

/** A row whose object may still be a file's is needed no more either: the file knows its own. */
export const deleteUploads = (sql: Sql, before: string, limit: number) => sql`
  delete from sourcing.uploads where id = any(array(
    select id from sourcing.uploads
    where state <> 'OPEN' and expires_at < ${before} order by expires_at limit ${limit} for update skip locked))`
