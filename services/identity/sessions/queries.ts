import type { Sql, Tx } from '../../kit/db/client.ts'

export interface SessionRow {
  id: string
  created_at: string
  last_used_at: string
  expires_at: string
  ip_address: string | null
  user_agent: string | null
}

/** Live sessions of one user of the organization, newest first. */
export const listSessionsOf = (
  sql: Sql,
  { orgId, userId, now, limit, offset }: { orgId: string; userId: string; now: string; limit: number; offset: number },
) => sql<SessionRow[]>`
  select id, created_at, last_used_at, expires_at, ip_address, user_agent
  from identity.sessions
  where org_id = ${orgId} and user_id = ${userId} and ended_at is null and expires_at > ${now}
  order by id desc limit ${limit} offset ${offset}`

export const findLiveSession = (sql: Sql, orgId: string, sessionId: string, now: string) => sql<
  { id: string; user_id: string }[]
>`
  select id, user_id from identity.sessions
  where org_id = ${orgId} and id = ${sessionId} and ended_at is null and expires_at > ${now}`

/** Answers the sessions that this call ended, not those that had ended before. */
export const markEnded = (sql: Sql, sessionIds: readonly string[], now: string) => sql<{ id: string }[]>`
  update identity.sessions set ended_at = ${now}
  where id = any(${[...sessionIds]}) and ended_at is null
  returning id`

export const listLiveSessionIds = (
  sql: Sql,
  userId: string,
  { except = null, before = 'infinity' }: { except?: string | null; before?: string },
) => sql<{ id: string }[]>`
  select id from identity.sessions
  where user_id = ${userId} and ended_at is null and id is distinct from ${except} and created_at < ${before}`

export const erasePassword = (tx: Tx, userId: string) => tx`
  delete from identity.credentials where user_id = ${userId}`

/** Where somebody signed in from, in every session that is still kept. */
export const eraseTraces = (tx: Tx, userId: string) => tx`
  update identity.sessions set ip_address = null, user_agent = null where user_id = ${userId}`

/** The session of a refresh token, if it is one of this user's. */
export const findOwnSessionOfRefreshToken = (
  sql: Sql,
  { orgId, userId }: { orgId: string; userId: string },
  hash: Uint8Array,
) => sql<{ id: string }[]>`
  select s.id from identity.refresh_tokens r join identity.sessions s on s.id = r.session_id
  where r.hash = ${Buffer.from(hash)} and s.org_id = ${orgId} and s.user_id = ${userId}`
