import { DAY_MS, timeAfter } from '../../../proto/durations.ts'
import type { Sql } from '../db/client.ts'
import { inBatches } from '../worker/batches.ts'

interface IdempotencyKey {
  userId: string
  operation: string
  key: string
}

/** False while another transaction runs the same request. */
export const tryLockKey = (sql: Sql, { userId, operation, key }: IdempotencyKey) => sql<{ locked: boolean }[]>`
  select pg_try_advisory_xact_lock(hashtextextended(${JSON.stringify([userId, operation, key])}, 0)) as locked`

export const findKey = (sql: Sql, { userId, operation, key }: IdempotencyKey, after: string) => sql<
  { request_hash: Uint8Array; response: string }[]
>`
  select request_hash, response from idempotency_keys
  where user_id = ${userId} and operation = ${operation} and key = ${key} and created_at > ${after}`

export const deleteKey = (sql: Sql, { userId, operation, key }: IdempotencyKey) => sql`
  delete from idempotency_keys where user_id = ${userId} and operation = ${operation} and key = ${key}`

export const insertKey = (
  sql: Sql,
  { userId, operation, key }: IdempotencyKey,
  { requestHash, response }: { requestHash: Uint8Array; response: string },
  now: string,
) => sql`
  insert into idempotency_keys (user_id, operation, key, request_hash, response, created_at)
  values (${userId}, ${operation}, ${key}, ${Buffer.from(requestHash)}, ${response}, ${now})`

export const RETENTION_MS = DAY_MS

export const cleanUpIdempotencyKeys = (sql: Sql, now: string, signal: AbortSignal) =>
  inBatches(
    { limit: 5000, signal },
    (limit) => sql`
      delete from idempotency_keys where ctid = any(array(
        select ctid from idempotency_keys
        where created_at < ${timeAfter(now, -RETENTION_MS)}
        order by created_at limit ${limit}))`,
  )
