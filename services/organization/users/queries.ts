import type { Sql, Tx } from '../../kit/db/client.ts'
import type { Lineage } from '../authority/rules.ts'
import { ERASED, type Viewer } from './rules.ts'

/** The accounts of identity providers that sign in a user. */
export const deleteIdentityLinks = (tx: Tx, orgId: string, userId: string) => tx`
  delete from organization.identity_links where org_id = ${orgId} and user_id = ${userId}`

export const findUserDocument = (sql: Sql, { orgId, userId, seesAll }: Viewer, id: string) => sql<
  { document: string }[]
>`
  select case when ${seesAll} or id = ${userId} then full_document else document end as document
  from organization.directory where org_id = ${orgId} and id = ${id}`

interface UserRow {
  id: string
  orgId: string
  email: string
  givenName: string
  familyName: string
  phone: string | null
  /** The service accounts that led to the user. */
  lineage: Lineage
}

export const insertUser = (sql: Sql, user: UserRow, now: string) => sql`
  insert into organization.users
    (id, org_id, email, given_name, family_name, phone, lineage, created_at, updated_at)
  values (${user.id}, ${user.orgId}, ${user.email}, ${user.givenName}, ${user.familyName}, ${user.phone},
    ${JSON.stringify(user.lineage)}::text::jsonb, ${now}, ${now})`

/** The person with an e-mail address. */
export const findUserByEmail = (sql: Sql, email: string) => sql<{ id: string; org_id: string; active: boolean }[]>`
  select id, org_id, active from organization.users where email_key = lower(${email}) and kind = 'PERSON' and anonymised_at is null`

interface PersonChange {
  email?: string | undefined
  givenName?: string | undefined
  familyName?: string | undefined
  /** null clears the number, undefined keeps it. */
  phone?: string | null | undefined
}

/** No row if nothing changes. */
export const updatePerson = (tx: Tx, orgId: string, userId: string, change: PersonChange, now: string) => tx<
  { id: string }[]
>`
  update organization.users u set email = changed.email, given_name = changed.given_name,
    family_name = changed.family_name, phone = changed.phone, updated_at = ${now}
  from (
    select id, coalesce(${change.email ?? null}, email) as email,
      coalesce(${change.givenName ?? null}, given_name) as given_name,
      coalesce(${change.familyName ?? null}, family_name) as family_name,
      case when ${change.phone !== undefined} then ${change.phone ?? null} else phone end as phone
    from organization.users where org_id = ${orgId} and id = ${userId}
  ) changed
  where u.id = changed.id and (u.email, u.given_name, u.family_name, u.phone)
    is distinct from (changed.email, changed.given_name, changed.family_name, changed.phone)
  returning u.id`

interface ActivationRow {
  hash: Uint8Array
  userId: string
  /** Creator of the link; null for the platform operator. */
  createdBy: string | null
  expiresAt: string
}

export const insertActivation = (sql: Sql, { hash, userId, createdBy, expiresAt }: ActivationRow, now: string) => sql`
  insert into organization.activations
    (token_hash, user_id, password_version, created_by, creator_password_version, created_at, expires_at)
  select ${Buffer.from(hash)}, u.id, u.password_version, creator.id,
    creator.password_version + creator.passkey_resets, ${now}, ${expiresAt}
  from organization.users u left join organization.users creator on creator.id = ${createdBy}
  where u.id = ${userId}`

export const deleteActivations = (tx: Tx, userId: string) => tx`
  delete from organization.activations where user_id = ${userId}`

/** Voids password, links, sessions and tokens. */
export const voidCredentials = (sql: Sql, userId: string, now: string) => sql<[{ session_version: number }]>`
  update organization.users set
    password_version = password_version + 1, session_version = session_version + 1, updated_at = ${now}
  where id = ${userId}
  returning session_version`

/** Voids the sessions and tokens of a user, and the links and grants that the user made. */
export const countPasskeyReset = (tx: Tx, userId: string, now: string) => tx<[{ session_version: number }]>`
  update organization.users set
    passkey_resets = passkey_resets + 1, session_version = session_version + 1, updated_at = ${now}
  where id = ${userId}
  returning session_version`

/** Removes the passkeys of a user. Returns their number. */
export const removePasskeys = (tx: Tx, orgId: string, userId: string) => tx<[{ removed: number }]>`
  select identity.remove_passkeys(${orgId}, ${userId})::int as removed`

export const activate = (tx: Tx, orgId: string, userId: string, now: string) => tx<{ id: string }[]>`
  update organization.users set active = true, updated_at = ${now}
  where org_id = ${orgId} and id = ${userId} and not active and anonymised_at is null
  returning id`

/** Sessions and tokens stay void after a later activation. */
export const deactivate = (tx: Tx, orgId: string, userId: string, now: string) => tx<{ session_version: number }[]>`
  update organization.users set active = false, session_version = session_version + 1, updated_at = ${now}
  where org_id = ${orgId} and id = ${userId} and active
  returning session_version`

export const eraseUser = (tx: Tx, orgId: string, userId: string, now: string) => tx<{ session_version: number }[]>`
  update organization.users set
    email = ${ERASED}, given_name = ${ERASED}, family_name = ${ERASED}, phone = null, description = null,
    external_id = null,
    active = false,
    anonymised_at = ${now}, password_version = password_version + 1, session_version = session_version + 1,
    updated_at = ${now}
  where org_id = ${orgId} and id = ${userId} and anonymised_at is null
  returning session_version`
