import type { Sql, Tx } from '../../kit/db/client.ts'

export const findPasswordHash = (sql: Sql, userId: string) => sql<{ password_hash: string }[]>`
  select password_hash from identity.credentials where user_id = ${userId}`

/** Sets the password of a version of the user's credentials. A later reset voids it. */
export const setPassword = (
  sql: Sql,
  { userId, passwordHash, version }: { userId: string; passwordHash: string; version: number },
) => sql`
  insert into identity.credentials (user_id, password_hash, password_version)
  values (${userId}, ${passwordHash}, ${version})
  on conflict (user_id) do update set
    password_hash = excluded.password_hash, password_version = excluded.password_version`

/** Replaces the password unless it has changed since `oldHash` was read. */
export const replacePassword = (
  sql: Sql,
  { userId, oldHash, newHash }: { userId: string; oldHash: string; newHash: string },
) => sql<{ user_id: string }[]>`
  update identity.credentials set password_hash = ${newHash}
  where user_id = ${userId} and password_hash = ${oldHash}
  returning user_id`

/** Locks the password of a person until the transaction ends. No row where it is another one by now. */
export const lockPassword = (tx: Tx, userId: string, passwordHash: string) => tx<{ user_id: string }[]>`
  select user_id from identity.credentials
  where user_id = ${userId} and password_hash = ${passwordHash} for share`

/** Voids the pending links of a user. */
export const voidLinks = (sql: Sql, userId: string, now: string) => sql`
  insert into identity.redeemed_activations (token_hash, redeemed_at)
  select token_hash, ${now} from organization.pending_activations where user_id = ${userId}
  on conflict do nothing`

/** Voids the open challenges for passkeys of a user. Some of them followed the former password. */
export const voidChallenges = (sql: Sql, userId: string) => sql`
  delete from identity.passkey_challenges where user_id = ${userId}`
