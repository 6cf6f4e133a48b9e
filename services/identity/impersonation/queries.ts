import type { ImpersonationGrant } from '../../../proto/http/identity/impersonation.ts'
import type { ImpersonatedRow, UserRow } from '../../kit/auth/queries.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import type { OrNull } from '../../kit/db/rows.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { PageWindow } from '../../kit/pagination/pagination.ts'

type GrantRow = OrNull<ImpersonationGrant>

const columns = (sql: Sql) => sql`
  id, user_id as "userId", acting_email as "actingEmail", reason, created_at as "createdTime",
  expires_at as "expireTime", redeemed_at as "redeemedTime", revoked_at as "revokedTime"`

interface NewGrant {
  id: string
  orgId: string
  userId: string
  actingEmail: string
  reason: string
  grantedBy: string
  tokenHash: Uint8Array
  expiresAt: string
}

export const insertGrant = (sql: Sql, grant: NewGrant, now: string) => sql<[GrantRow]>`
  insert into identity.impersonation_grants
    (id, org_id, user_id, acting_email, reason, granted_by, grantor_password_version, token_hash, created_at, expires_at)
  select ${grant.id}, ${grant.orgId}, ${grant.userId}, ${grant.actingEmail}, ${grant.reason}, grantor.user_id,
    grantor.link_version, ${Buffer.from(grant.tokenHash)}, ${now}, ${grant.expiresAt}
  from organization.callers grantor where grantor.user_id = ${grant.grantedBy}
  returning ${columns(sql)}`

/** A grant without a session, for one act of the operator's command line. */
export const insertUsedGrant = (tx: Tx, grant: Omit<NewGrant, 'grantedBy' | 'expiresAt'>, now: string) => tx`
  insert into identity.impersonation_grants
    (id, org_id, user_id, acting_email, reason, token_hash, created_at, expires_at, redeemed_at, revoked_at)
  values (${grant.id}, ${grant.orgId}, ${grant.userId}, ${grant.actingEmail}, ${grant.reason},
    ${Buffer.from(grant.tokenHash)}, ${now}, ${now}, ${now}, ${now})`

export const listGrants = (sql: Sql, orgId: string, { after, limit, offset }: PageWindow) => sql<GrantRow[]>`
  select ${columns(sql)}
  from identity.impersonation_grants
  where org_id = ${orgId} and id < ${after ?? NEWEST_ID}
  order by id desc limit ${limit} offset ${offset}`

export const findGrant = (sql: Sql, orgId: string, id: string) => sql<GrantRow[]>`
  select ${columns(sql)}
  from identity.impersonation_grants
  where org_id = ${orgId} and id = ${id}`

/** State and permissions of a user of the organization. */
export const findUser = (sql: Sql, orgId: string, userId: string) => sql<UserRow[]>`
  select active, permissions, org_roles as roles, operator
  from organization.callers where org_id = ${orgId} and user_id = ${userId}`

interface RedeemableRow extends ImpersonatedRow {
  id: string
  org_id: string
  user_id: string
  acting_email: string
  expires_at: string
  session_version: number
}

/** The redeemable grant of a link, locked, with its user and its grantor. */
export const findRedeemable = (sql: Sql, hash: Uint8Array, now: string) => sql<RedeemableRow[]>`
  select g.id, g.org_id, g.user_id, g.acting_email, g.expires_at,
    c.active, c.session_version, c.permissions, c.org_roles as roles, c.operator,
    grantor.active and grantor.link_version = g.grantor_password_version as grantor_active,
    grantor.permissions as grantor_permissions
  from identity.impersonation_grants g
  join organization.callers c on c.org_id = g.org_id and c.user_id = g.user_id
  join organization.callers grantor on grantor.org_id = g.org_id and grantor.user_id = g.granted_by
  where g.token_hash = ${Buffer.from(hash)} and g.redeemed_at is null and g.revoked_at is null and g.expires_at > ${now}
  for update of g`

export const markRedeemed = (sql: Sql, id: string, ipAddress: string | undefined, now: string) => sql`
  update identity.impersonation_grants set redeemed_at = ${now}, redeemed_ip = ${ipAddress ?? null} where id = ${id}`

export const markRevoked = (sql: Sql, orgId: string, id: string, now: string) => sql<GrantRow[]>`
  update identity.impersonation_grants set revoked_at = ${now}
  where org_id = ${orgId} and id = ${id} and revoked_at is null
  returning ${columns(sql)}`

export const listSessionsUnder = (sql: Sql, grantId: string) => sql<{ id: string }[]>`
  select id from identity.sessions where grant_id = ${grantId} and ended_at is null`

/** Grants of an organization that have a session or may get one. */
export const lockLiveGrants = (sql: Sql, orgId: string, now: string) => sql<{ id: string }[]>`
  select id from identity.impersonation_grants
  where org_id = ${orgId} and revoked_at is null and expires_at > ${now}
  order by id for update`

/** Live sessions of these grants, with the current state of user and grantor. */
export const listActing = (sql: Sql, orgId: string, grantIds: readonly string[]) => sql<
  (ImpersonatedRow & { session_id: string })[]
>`
  select s.id as session_id, c.active, c.permissions, c.org_roles as roles, c.operator,
    grantor.active and grantor.link_version = g.grantor_password_version as grantor_active,
    grantor.permissions as grantor_permissions
  from identity.impersonation_grants g
  join identity.sessions s on s.grant_id = g.id
  join organization.callers c on c.org_id = g.org_id and c.user_id = g.user_id
  join organization.callers grantor on grantor.org_id = g.org_id and grantor.user_id = g.granted_by
  where g.org_id = ${orgId} and g.id = any(${[...grantIds]}) and s.ended_at is null`
