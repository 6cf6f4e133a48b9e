import type { JWK } from 'jose'
import type { OrgRole, Permission } from '../../../proto/permissions.ts'
import type { Sql, Tx } from '../db/client.ts'
import { and } from '../db/conditions.ts'

/** What a user may do: those of the permissions that apply to the roles of the organization, while active. */
export interface UserRow {
  active: boolean
  permissions: Permission[]
  roles: OrgRole[]
  operator: boolean
}

export interface CallerRow extends UserRow {
  user_id: string
  org_id: string
  session_version: number
}

const selectCaller = (sql: Sql, userId: string) => sql`
  select user_id, org_id, active, permissions, org_roles as roles, operator, session_version
  from organization.callers
  where user_id = ${userId}`

/** The user's current state and permissions. */
export const findCaller = (sql: Sql, userId: string) => sql<CallerRow[]>`${selectCaller(sql, userId)}`

/** What voids a token by its end: its session or key, for a service account the token itself, and its signing key. */
export interface Endable {
  sessionId: string
  clientTokenId?: string
  /** Undefined for a session without a token. */
  keyId?: string
}

const idsOf = ({ sessionId, clientTokenId }: Endable) =>
  clientTokenId === undefined ? [sessionId] : [sessionId, clientTokenId]

const isLive = (sql: Sql, claims: Endable) =>
  and(
    sql,
    sql`not exists (select from identity.ended_sessions where session_id = any(${idsOf(claims)}))`,
    claims.keyId !== undefined &&
      sql`exists (select from identity.published_keys where public_jwk ->> 'kid' = ${claims.keyId})`,
  )

/** The user's current state and permissions, unless the session or the signing key has ended. */
export const findCallerOfSession = (sql: Sql, claims: Endable & { userId: string }) => sql<CallerRow[]>`
  ${selectCaller(sql, claims.userId)} and ${isLive(sql, claims)}`

export interface ImpersonatedRow extends UserRow {
  /** Whether the grantor is active and was not reset since the grant was created. */
  grantor_active: boolean
  grantor_permissions: Permission[]
}

/** Likewise for an impersonation, with the grantor. */
export const findImpersonated = (sql: Sql, claims: Endable & { userId: string }, grantId: string) => sql<
  (CallerRow & ImpersonatedRow)[]
>`
  select c.user_id, c.org_id, c.active, c.permissions, c.org_roles as roles, c.operator, c.session_version,
    grantor.active and grantor.link_version = g.link_version as grantor_active,
    grantor.permissions as grantor_permissions
  from identity.grantor_directory g
  join organization.callers c on c.org_id = g.org_id
  join organization.callers grantor on grantor.org_id = g.org_id and grantor.user_id = g.granted_by
  where g.grant_id = ${grantId} and c.user_id = ${claims.userId} and ${isLive(sql, claims)}`

/** Serializes the commands of an organization that depend on the authority of its users, until the transaction ends. */
export const lockOrganization = (tx: Tx, orgId: string) => tx`select organization.lock_organization(${orgId})`

/** The ended sessions, keys and tokens that may have unexpired access tokens. */
export const listEndedSessions = (sql: Sql, endedAfter: string) => sql<{ session_id: string; ended_at: string }[]>`
  select session_id, ended_at from identity.ended_sessions where ended_at > ${endedAfter}`

/** Public keys that may have signed an unexpired token. */
export const listPublicKeys = (sql: Sql) => sql<{ public_jwk: JWK }[]>`
  select public_jwk from identity.published_keys`

export const keySetOf = (rows: readonly { public_jwk: JWK }[]) => ({ keys: rows.map((row) => row.public_jwk) })
