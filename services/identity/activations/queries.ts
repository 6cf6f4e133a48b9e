import type { LinkedAccount } from '../../../proto/http/identity/accounts.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'

export const findActivation = (sql: Sql, hash: Uint8Array, now: string) => sql<
  { user_id: string; org_id: string; password_version: number; enforced: boolean }[]
>`
  select a.user_id, a.org_id, a.password_version, coalesce(u.enforced, false) as enforced
  from organization.pending_activations a
  left join organization.sign_in_directory u on u.user_id = a.user_id
  where a.token_hash = ${Buffer.from(hash)} and a.expires_at > ${now}
    and not exists (select from identity.redeemed_activations r where r.token_hash = a.token_hash)`

/** The user of a link that can be redeemed. */
export const findAccount = (sql: Sql, hash: Uint8Array, now: string) => sql<LinkedAccount[]>`
  select u.email, o.name as "organizationName"
  from organization.pending_activations a
  join organization.sign_in_directory u on u.user_id = a.user_id
  join organization.org_directory o on o.org_id = a.org_id
  where a.token_hash = ${Buffer.from(hash)} and a.expires_at > ${now}
    and not exists (select from identity.redeemed_activations r where r.token_hash = a.token_hash)`

/** Redeems a link. Of concurrent callers one gets the row. */
export const markRedeemed = (sql: Sql, hash: Uint8Array, now: string) => sql<{ redeemed_at: string }[]>`
  insert into identity.redeemed_activations (token_hash, redeemed_at)
  values (${Buffer.from(hash)}, ${now})
  on conflict do nothing
  returning redeemed_at`

/** The use of a mailed link proves the address of its user. */
export const proveAddress = (tx: Tx, hash: Uint8Array) => tx`select organization.prove_address(${Buffer.from(hash)})`
