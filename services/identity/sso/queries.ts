import type { Sql, Tx } from '../../kit/db/client.ts'

interface CodeRow {
  org_id: string
  provider_id: string
  user_id: string
  email: string
  session_version: number
  browser_hash: Uint8Array
}

/** The sign-in of a code that has not expired and was not used. */
export const findCode = (sql: Sql, hash: Uint8Array, now: string) => sql<CodeRow[]>`
  select c.org_id, c.provider_id, c.user_id, c.email, c.session_version, c.browser_hash
  from organization.sso_code_directory c
  where c.code_hash = ${Buffer.from(hash)} and c.expires_at > ${now}
    and not exists (select from identity.redeemed_sso_codes r where r.code_hash = c.code_hash)`

/** Uses up a code. Of concurrent callers one gets the row. */
export const markRedeemed = (sql: Sql | Tx, hash: Uint8Array, now: string) => sql<{ redeemed_at: string }[]>`
  insert into identity.redeemed_sso_codes (code_hash, redeemed_at) values (${Buffer.from(hash)}, ${now})
  on conflict do nothing
  returning redeemed_at`
