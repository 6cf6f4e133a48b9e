import type { Sql, Tx } from '../../kit/db/client.ts'

interface NewRequest {
  id: string
  email: string
  ipAddress: string | undefined
  /** The network of the address. */
  network: string
  userAgent: string | null
}

/** No row where too many requests wait. A request for an address that waits already is the same one. */
export const insertRequest = (
  sql: Sql,
  request: NewRequest,
  max: { all: number; ofNetwork: number },
  now: string,
) => sql<{ id: string }[]>`
  insert into organization.password_resets as waiting (id, email_key, ip_address, network, user_agent, created_at)
  select ${request.id}, lower(${request.email}), ${request.ipAddress ?? null}, ${request.network},
    ${request.userAgent}, ${now}
  where (select count(*) from (select from organization.password_resets limit ${max.all}) w) < ${max.all}
    and (select count(*) from organization.password_resets w
      where w.network = ${request.network}) < ${max.ofNetwork}
  on conflict (email_key) do update set created_at = waiting.created_at
  returning id`

interface RequestRow {
  email_key: string
  ip_address: string | null
  user_agent: string | null
}

/** Takes the oldest request that no other replica has taken. */
export const takeRequest = (tx: Tx) => tx<RequestRow[]>`
  delete from organization.password_resets where id = (
    select id from organization.password_resets order by id limit 1 for update skip locked)
  returning email_key, ip_address, user_agent`

/** The person of an address, locked, so that a change of the address at the same time voids the link. */
export const lockPerson = (tx: Tx, emailKey: string) => tx<
  { id: string; org_id: string; email: string; enforced: boolean }[]
>`
  select id, org_id, email,
    exists (select from organization.enforced_users e where e.user_id = users.id) as enforced
  from organization.users
  where email_key = ${emailKey} and kind = 'PERSON' and active and anonymised_at is null
  for share`

/** Adds a link that replaces the earlier one for which the user asked; links of administrators stay. */
export const replaceLink = (tx: Tx, userId: string, hash: Uint8Array, expiresAt: string, now: string) => tx`
  with replaced as (delete from organization.activations where user_id = ${userId} and self_service)
  insert into organization.activations (token_hash, user_id, password_version, created_at, expires_at, self_service)
  select ${Buffer.from(hash)}, id, password_version, ${now}, ${expiresAt}, true
  from organization.users where id = ${userId}`
