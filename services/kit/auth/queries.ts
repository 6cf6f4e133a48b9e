import type { JWK } from 'jose'
import type { OrgRole, Permission } from '../../../proto/permissions.ts'
import type { Sql, Tx } from '../db/client.ts'
import { and } from '../db/conditions.ts'

export interface CallerRow {
  user_id: string
  org_id: string
  active: boolean
  permissions: Permission[]
  org_roles: OrgRole[]
  operator: boolean
  session_version: number
}

/** The user's current state and permissions. */
export const findCaller = (sql: Sql, userId: string) => sql<CallerRow[]>`
  select user_id, org_id, active, permissions, org_roles, operator, session_version
  from organization.callers
  where user_id = ${userId}`

/** What voids a token by its end: its session or key, for a service account the token itself, and its signing key. */
interface Endable {
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
  select user_id, org_id, active, permissions, org_roles, operator, session_version
  from organization.callers
  where user_id = ${claims.userId} and ${isLive(sql, claims)}`

interface ImpersonatedRow extends CallerRow {
  /** Whether the grantor is active and was not reset since the grant was created. */
  grantor_active: boolean
  grantor_permissions: Permission[]
}

/** Likewise for an impersonation, with the grantor. */
export const findImpersonated = (sql: Sql, claims: Endable & { userId: string }, grantId: string) => sql<
  ImpersonatedRow[]
>`
  select c.user_id, c.org_id, c.active, c.permissions, c.org_roles, c.operator, c.session_version,
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
