import type { Sql } from '../../kit/db/client.ts'

export const findPasswordHash = (sql: Sql, userId: string) => sql<{ password_hash: string }[]>`
  select password_hash from identity.credentials where user_id = ${userId}`

export const setPassword = (sql: Sql, userId: string, passwordHash: string, now: string) => sql`
  insert into identity.credentials (user_id, password_hash, set_at)
  values (${userId}, ${passwordHash}, ${now})
  on conflict (user_id) do update set password_hash = excluded.password_hash, set_at = excluded.set_at`

/** Replaces the password unless it has changed since `oldHash` was read. */
export const replacePassword = (
  sql: Sql,
  { userId, oldHash, newHash }: { userId: string; oldHash: string; newHash: string },
  now: string,
) => sql<{ user_id: string }[]>`
  update identity.credentials set password_hash = ${newHash}, set_at = ${now}
  where user_id = ${userId} and password_hash = ${oldHash}
  returning user_id`
