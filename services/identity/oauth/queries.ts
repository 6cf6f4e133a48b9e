import type { Sql } from '../../kit/db/client.ts'

export interface ClientRow {
  client_id: string
  secret_hash: Uint8Array
  /** Networks from which the key may be used; none: every address. */
  networks: string[]
  expires_at: string | null
  revoked_at: string | null
  user_id: string
  org_id: string
  /** Whether the service account is active. */
  active: boolean
  session_version: number
  last_used_at: string | null
}

/** A key with its service account. */
export const findClient = (sql: Sql, clientId: string) => sql<ClientRow[]>`
  select c.client_id, c.secret_hash, c.networks, c.expires_at, c.revoked_at, c.user_id, c.org_id, c.active,
    c.session_version, used.last_used_at
  from organization.client_directory c
  left join identity.key_uses used on used.key_id = c.client_id
  where c.client_id = ${clientId}`

export const recordKeyUse = (sql: Sql, keyId: string, ipAddress: string | undefined, now: string) => sql`
  insert into identity.key_uses (key_id, last_used_at, ip_address) values (${keyId}, ${now}, ${ipAddress ?? null})
  on conflict (key_id) do update set last_used_at = excluded.last_used_at, ip_address = excluded.ip_address`

interface EndableSession {
  id: string
  user_id: string
  org_id: string
  grant_id: string | null
}

/** The live session of an access token. */
export const findSessionById = (sql: Sql, sessionId: string, now: string) => sql<EndableSession[]>`
  select id, user_id, org_id, grant_id from identity.sessions
  where id = ${sessionId} and ended_at is null and expires_at > ${now}`

/** The live session of a refresh token. */
export const findSessionByRefreshToken = (sql: Sql, hash: Uint8Array, now: string) => sql<EndableSession[]>`
  select s.id, s.user_id, s.org_id, s.grant_id
  from identity.refresh_tokens r
  join identity.sessions s on s.id = r.session_id
  where r.hash = ${Buffer.from(hash)} and s.ended_at is null and s.expires_at > ${now}`
