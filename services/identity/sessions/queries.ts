import type { Session } from '../../../proto/http/identity/accounts.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import type { OrNull } from '../../kit/db/rows.ts'
import { NEWEST_ID } from '../../kit/pagination/keysets.ts'
import type { PageWindow } from '../../kit/pagination/pagination.ts'

/** Live sessions of a user of the caller's organization, newest first, with the grant of an impersonation. */
export const listSessionsOf = (
  sql: Sql,
  { orgId, sessionId }: { orgId: string; sessionId: string },
  { userId, now, after, limit, offset }: PageWindow & { userId: string; now: string },
) => sql<OrNull<Session>[]>`
  select s.id, s.created_at as "createdTime", s.last_used_at as "lastUsedTime", s.expires_at as "expireTime",
    s.ip_address as "ipAddress", s.user_agent as "userAgent", s.id = ${sessionId} as current,
    case when g.id is not null then json_build_object('grantId', g.id, 'actingEmail', g.acting_email) end
      as impersonation
  from identity.sessions s
  left join identity.impersonation_grants g on g.id = s.grant_id
  where s.org_id = ${orgId} and s.user_id = ${userId} and s.ended_at is null and s.expires_at > ${now}
    and s.id < ${after ?? NEWEST_ID}
  order by s.id desc limit ${limit} offset ${offset}`

export const findLiveSession = (sql: Sql, orgId: string, sessionId: string, now: string) => sql<
  { id: string; user_id: string }[]
>`
  select id, user_id from identity.sessions
  where org_id = ${orgId} and id = ${sessionId} and ended_at is null and expires_at > ${now}`

/** The addresses from which the latest sessions were opened, oldest first. */
export const listLatestAddresses = (sql: Sql, limit: number) => sql<{ ip_address: string; org_id: string }[]>`
  select ip_address, org_id from (
    select id, ip_address, org_id from identity.sessions where ip_address is not null order by id desc limit ${limit}
  ) latest order by id`

/** Returns the sessions that this call ended, without those that had already ended. */
export const markEnded = (sql: Sql, sessionIds: readonly string[], now: string) => sql<{ id: string }[]>`
  update identity.sessions set ended_at = ${now}
  where id = any(${[...sessionIds]}) and ended_at is null
  returning id`

/** Returns no row if the token was revoked before. */
export const insertRevokedToken = (tx: Tx, tokenId: string, now: string) => tx<{ token_id: string }[]>`
  insert into identity.revoked_tokens (token_id, revoked_at) values (${tokenId}, ${now})
  on conflict do nothing
  returning token_id`

export const listLiveSessionIds = (
  sql: Sql,
  userId: string,
  { except = null, beforeVersion = null }: { except?: string | null; beforeVersion?: number | null },
) => sql<{ id: string }[]>`
  select id from identity.sessions
  where user_id = ${userId} and ended_at is null and id is distinct from ${except}
    and (${beforeVersion}::integer is null or session_version < ${beforeVersion})`

/** Live sessions of a user beyond the newest `kept` ones; at most 100 of them. */
export const listOlderSessionIds = (sql: Sql, userId: string, kept: number) => sql<{ id: string }[]>`
  select id from identity.sessions
  where user_id = ${userId} and ended_at is null
  order by id desc limit 100 offset ${kept}`

export const erasePassword = (tx: Tx, userId: string) => tx`
  delete from identity.credentials where user_id = ${userId}`

/** Erases the passkeys of a user for every host. */
export const erasePasskeys = (tx: Tx, userId: string) => tx`
  delete from identity.passkeys where user_id = ${userId}`

/** Erases address and client of every stored session of a user. */
export const eraseClientData = (tx: Tx, userId: string) => tx`
  update identity.sessions set ip_address = null, user_agent = null where user_id = ${userId}`

/** The session of a refresh token of this user. */
export const findOwnSessionOfRefreshToken = (
  sql: Sql,
  { orgId, userId }: { orgId: string; userId: string },
  hash: Uint8Array,
) => sql<{ id: string }[]>`
  select s.id from identity.refresh_tokens r join identity.sessions s on s.id = r.session_id
  where r.hash = ${Buffer.from(hash)} and s.org_id = ${orgId} and s.user_id = ${userId}`
