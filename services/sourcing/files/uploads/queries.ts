import type { Sql, Tx } from '../../../kit/db/client.ts'
import { lockByName } from '../../../kit/db/locks.ts'

interface NewUpload {
  id: string
  orgId: string
  userId: string
  name: string
  public: boolean
  expiresAt: string
}

/** Serializes the count of an organization, because concurrent requests could exceed the limit. */
export const lockQuota = (tx: Tx, orgId: string) => lockByName(tx, 'uploads', orgId)

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

/** Not scoped to an organization, because the signed URL is the credential. */
export const findOpenUpload = (sql: Sql, id: string) => sql<{ org_id: string }[]>`
  select org_id from sourcing.uploads where id = ${id} and state = 'OPEN'`

/**
 * Ends expired uploads and schedules the deletion of their objects: now, and again when a transfer that began before
 * the expiry must have ended.
 */
export const endUploads = (sql: Sql, now: string, limit: number) => sql<{ id: string }[]>`
  with ended as (
    update sourcing.uploads set state = 'DEAD'
    where id = any(array(
      select id from sourcing.uploads
      where state = 'OPEN' and expires_at <= ${now} order by expires_at limit ${limit} for update skip locked))
    returning id, expires_at
  ), scheduled as (
    insert into sourcing.scheduled_deletions (object_key, due_at)
    select id, ${now}::timestamptz from ended union select id, expires_at + interval '3 hours' from ended
    on conflict do nothing
  )
  select id from ended`

/** Deletes attached uploads too, because a file has its own reference to the object. */
export const deleteUploads = (sql: Sql, before: string, limit: number) => sql`
  delete from sourcing.uploads where id = any(array(
    select id from sourcing.uploads
    where state <> 'OPEN' and expires_at < ${before} order by expires_at limit ${limit} for update skip locked))`
