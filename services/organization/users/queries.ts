import type { Sql } from '../../kit/db/client.ts'

export interface UserRow {
  id: string
  orgId: string
  email: string
  givenName: string
  familyName: string
  phone: string | null
}

export const insertUser = (sql: Sql, { id, orgId, email, givenName, familyName, phone }: UserRow, now: string) => sql`
  insert into organization.users
    (id, org_id, email, given_name, family_name, phone, credentials_valid_from, created_at, updated_at)
  values (${id}, ${orgId}, ${email}, ${givenName}, ${familyName}, ${phone}, ${now}, ${now}, ${now})`

export const findUser = (sql: Sql, orgId: string, userId: string) => sql<{ id: string; active: boolean }[]>`
  select id, active from organization.users where org_id = ${orgId} and id = ${userId}`

export const findUserByEmail = (sql: Sql, email: string) => sql<{ id: string; org_id: string; active: boolean }[]>`
  select id, org_id, active from organization.users where lower(email) = lower(${email})`

export const insertActivation = (
  sql: Sql,
  { hash, userId, expiresAt }: { hash: Uint8Array; userId: string; expiresAt: string },
  now: string,
) => sql`
  insert into organization.activations (token_hash, user_id, created_at, expires_at)
  values (${Buffer.from(hash)}, ${userId}, ${now}, ${expiresAt})`

export const grantRoleTo = (
  sql: Sql,
  { orgId, userId, roleId }: { orgId: string; userId: string; roleId: string },
) => sql`
  insert into organization.user_roles (org_id, user_id, role_id)
  values (${orgId}, ${userId}, ${roleId})
  on conflict do nothing`

/** Passwords set and tokens issued before now are void from now on. */
export const voidCredentials = (sql: Sql, userId: string, now: string) => sql`
  update organization.users set credentials_valid_from = ${now}, updated_at = ${now} where id = ${userId}`
