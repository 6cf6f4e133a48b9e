import type { Permission } from '../../../proto/permissions.ts'
import { clipUserAgent } from '../../kit/audit/record.ts'
import type { Sql } from '../../kit/db/client.ts'

/** The permission that the grantor of an impersonation grant needs. */
const GRANTOR_PERMISSION: Permission = 'org:admin'

export interface SignInRow {
  user_id: string
  org_id: string
  active: boolean
  password_hash: string | null
  /** Whether the password was set after the last reset. */
  current: boolean
  session_version: number
  /** Whether the user must sign in by an identity provider. */
  enforced: boolean
  /** Whether the user needs a passkey. */
  second_factor: boolean
  email: string
}

/** The user of an e-mail address, with the data to verify a password. */
export const findSignIn = (sql: Sql, email: string) => sql<SignInRow[]>`
  select d.user_id, d.org_id, d.active, c.password_hash,
    coalesce(c.password_version = d.password_version, false) as current, d.session_version,
    d.enforced, d.second_factor, d.email
  from organization.sign_in_directory d
  left join identity.credentials c on c.user_id = d.user_id
  where d.email = lower(${email})`

/** One row if the user is active and was not reset or deactivated since the version was read. */
export const findUnchanged = (sql: Sql, userId: string, sessionVersion: number) => sql<{ user_id: string }[]>`
  select user_id from organization.callers
  where user_id = ${userId} and active and session_version = ${sessionVersion}`

/** How a session began. GRANT: an impersonation. */
export type SessionMethod = 'PASSWORD' | 'PASSKEY' | 'PROVIDER' | 'GRANT'

interface NewSession {
  id: string
  userId: string
  orgId: string
  sessionVersion: number
  method: SessionMethod
  expiresAt: string
  ipAddress: string | undefined
  userAgent: string | undefined
  /** The impersonation grant of the session. */
  grantId?: string
}

export const insertSession = (sql: Sql, session: NewSession, now: string) => sql`
  insert into identity.sessions
    (id, user_id, org_id, session_version, created_at, last_used_at, expires_at, ip_address, user_agent, grant_id,
      method)
  values (${session.id}, ${session.userId}, ${session.orgId}, ${session.sessionVersion}, ${now}, ${now},
    ${session.expiresAt}, ${session.ipAddress ?? null}, ${clipUserAgent(session.userAgent)},
    ${session.grantId ?? null}, ${session.method})`

export const insertRefreshToken = (
  sql: Sql,
  { hash, sessionId, expiresAt }: { hash: Uint8Array; sessionId: string; expiresAt: string },
  now: string,
) => sql`
  insert into identity.refresh_tokens (hash, session_id, created_at, expires_at)
  values (${Buffer.from(hash)}, ${sessionId}, ${now}, ${expiresAt})`

export interface RefreshedRow {
  session_id: string
  user_id: string
  org_id: string
  session_version: number
  /** End of the session, or of its grant. */
  expires_at: string
  grant_id: string | null
  acting_email: string | null
}

interface Rotation {
  used: Uint8Array
  successor: Uint8Array
  /** Idle expiry of the successor. The expiry of the session is checked in addition. */
  idleUntil: string
}

/**
 * Whether the user `c` of the session `s` is active and was not reset since, and likewise the grantor of its grant `g`,
 * who must be an administrator. A session that began with a password alone ends where the organization requires a
 * second factor, even if an identity provider is enforced later.
 */
const isAuthorized = (sql: Sql) => sql`(
  c.active and s.session_version = c.session_version
    and (s.method <> 'PASSWORD' or not exists (
      select from organization.second_factor_organizations o where o.org_id = s.org_id))
    and (s.grant_id is null or exists (
      select from organization.callers grantor
      where grantor.user_id = g.granted_by and grantor.org_id = g.org_id and grantor.active
        and grantor.link_version = g.grantor_password_version
        and ${GRANTOR_PERMISSION} = any(grantor.permissions))))`

/**
 * Rotates a refresh token in one statement: of concurrent refreshes one marks it as used and inserts the successor.
 * User, organization and roles are read again. There is no row for an inactive or reset user, an ended session, or a
 * grant that is over or whose grantor lost the authority.
 */
export const rotateRefreshToken = (sql: Sql, { used, successor, idleUntil }: Rotation, now: string) => sql<
  RefreshedRow[]
>`
  with live as (
    select r.hash, s.id as session_id, s.user_id, s.org_id, s.session_version, s.expires_at, s.grant_id, g.acting_email
    from identity.refresh_tokens r
    join identity.sessions s on s.id = r.session_id
    join organization.callers c on c.user_id = s.user_id and c.org_id = s.org_id
    left join identity.impersonation_grants g on g.id = s.grant_id
    where r.hash = ${Buffer.from(used)} and r.expires_at > ${now}
      and s.ended_at is null and s.expires_at > ${now} and ${isAuthorized(sql)}
  ), used as (
    update identity.refresh_tokens r set used_at = ${now}
    from live where r.hash = live.hash and r.used_at is null
    returning live.session_id, live.user_id, live.org_id, live.session_version, live.expires_at, live.grant_id,
      live.acting_email
  ), next as (
    insert into identity.refresh_tokens (hash, session_id, created_at, expires_at)
    select ${Buffer.from(successor)}, session_id, ${now}, ${idleUntil}::timestamptz from used
  ), touched as (
    update identity.sessions s set last_used_at = ${now} from used where s.id = used.session_id
  )
  select session_id, user_id, org_id, session_version, expires_at, grant_id, acting_email from used`

interface UsedTokenRow extends RefreshedRow {
  used_at: string | null
  /** Whether the session is live, and its grant too. */
  live: boolean
}

/** A refresh token that could not be rotated, with the reason. */
export const findRefreshToken = (sql: Sql, hash: Uint8Array, now: string) => sql<UsedTokenRow[]>`
  select s.id as session_id, s.user_id, s.org_id, s.session_version, s.expires_at, s.grant_id, g.acting_email, r.used_at,
    s.ended_at is null and s.expires_at > ${now} and ${isAuthorized(sql)} as live
  from identity.refresh_tokens r
  join identity.sessions s on s.id = r.session_id
  join organization.callers c on c.user_id = s.user_id and c.org_id = s.org_id
  left join identity.impersonation_grants g on g.id = s.grant_id
  where r.hash = ${Buffer.from(hash)}`

/** Inserts a row for the refused sign-in of an unknown account. It takes as long as an audit entry. */
export const insertSignInFailure = (
  sql: Sql,
  failure: { id: string; ipAddress?: string | undefined; userAgent?: string | undefined },
  now: string,
) => sql`
  insert into identity.sign_in_failures (id, failed_at, ip_address, user_agent)
  values (${failure.id}, ${now}, ${failure.ipAddress ?? null}, ${clipUserAgent(failure.userAgent)})`
