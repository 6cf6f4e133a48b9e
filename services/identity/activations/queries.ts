import type { Sql } from '../../kit/db/client.ts'

export const findActivation = (sql: Sql, hash: Uint8Array, now: string) => sql<
  { user_id: string; org_id: string; password_version: number }[]
>`
  select a.user_id, a.org_id, a.password_version
  from organization.pending_activations a
  where a.token_hash = ${Buffer.from(hash)} and a.expires_at > ${now}
    and not exists (select from identity.redeemed_activations r where r.token_hash = a.token_hash)`

/** Redeems a link. Of concurrent callers one gets the row. */
export const markRedeemed = (sql: Sql, hash: Uint8Array, now: string) => sql<{ redeemed_at: string }[]>`
  insert into identity.redeemed_activations (token_hash, redeemed_at)
  values (${Buffer.from(hash)}, ${now})
  on conflict do nothing
  returning redeemed_at`
