import type { Sql, Tx } from '../../kit/db/client.ts'

export const findSettings = (sql: Sql, orgId: string) => sql<{ secondFactor: boolean }[]>`
  select second_factor as "secondFactor" from organization.organizations where id = ${orgId}`

export const updateSettings = (tx: Tx, orgId: string, secondFactor: boolean) => tx`
  update organization.organizations set second_factor = ${secondFactor} where id = ${orgId}`

/** One row if the user has a passkey for this host. */
export const findPasskey = (tx: Tx, { orgId, userId }: { orgId: string; userId: string }, host: string) => tx<
  { passkey_id: string }[]
>`
  select passkey_id from identity.passkey_directory
  where org_id = ${orgId} and user_id = ${userId} and rp_id = ${host} limit 1`
