import type { WebhookEndpointHealth } from '../../../proto/http/webhooks/endpoint-flows.ts'
import type { WebhookEndpoint } from '../../../proto/http/webhooks/endpoints.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { lockByName } from '../../kit/db/locks.ts'
import type { OrNull } from '../../kit/db/rows.ts'

type EndpointRow = OrNull<WebhookEndpoint>

const columns = (sql: Sql) => sql`
  id, url, events, status, created_at, updated_at, description`

export const listEndpoints = (sql: Sql, orgId: string) => sql<EndpointRow[]>`
  select ${columns(sql)} from webhooks.endpoints
  where org_id = ${orgId} order by id desc`

export const findEndpoint = (sql: Sql, orgId: string, id: string) => sql<EndpointRow[]>`
  select ${columns(sql)} from webhooks.endpoints
  where org_id = ${orgId} and id = ${id}`

/** Serializes the creation of endpoints of an organization, so that concurrent requests do not exceed the limit. */
export const lockEndpoints = (tx: Tx, orgId: string) => lockByName(tx, 'endpoints', orgId)

export const countEndpoints = (sql: Sql, orgId: string) => sql<[{ count: number }]>`
  select count(*)::int as count from webhooks.endpoints where org_id = ${orgId}`

interface NewEndpoint {
  id: string
  orgId: string
  url: string
  description: string | null
  events: readonly string[]
  status: string
  encryptedSecret: string
}

export const insertEndpoint = (tx: Tx, endpoint: NewEndpoint, now: string) => tx<[EndpointRow]>`
  insert into webhooks.endpoints
    (id, org_id, url, description, events, status, secret, created_at, updated_at)
  values (
    ${endpoint.id}, ${endpoint.orgId}, ${endpoint.url}, ${endpoint.description}, ${[...endpoint.events]},
    ${endpoint.status}, ${endpoint.encryptedSecret}, ${now}, ${now})
  returning ${columns(tx)}`

export const lockEndpoint = (tx: Tx, orgId: string, id: string) => tx<EndpointRow[]>`
  select ${columns(tx)} from webhooks.endpoints
  where org_id = ${orgId} and id = ${id} for update`

/** An endpoint, which stays as it is until the transaction ends. The results of attempts can be recorded meanwhile. */
export const lockEndpointShared = (tx: Tx, orgId: string, id: string) => tx<{ id: string }[]>`
  select id from webhooks.endpoints where org_id = ${orgId} and id = ${id} for key share`

interface EndpointChange {
  url: string
  description: string | null
  events: readonly string[]
  status: string
}

export const updateEndpoint = (tx: Tx, orgId: string, id: string, change: EndpointChange, now: string) => tx<
  [EndpointRow]
>`
  update webhooks.endpoints set
    url = ${change.url}, description = ${change.description}, events = ${[...change.events]}, status = ${change.status},
    pause_reason = case when status = ${change.status} then pause_reason end,
    failures = case when status = ${change.status} then failures else 0 end,
    failing_since = case when status = ${change.status} then failing_since end,
    updated_at = greatest(${now}, updated_at + interval '1 millisecond')
  where org_id = ${orgId} and id = ${id}
  returning ${columns(tx)}`

export const deleteEndpoint = (tx: Tx, orgId: string, id: string) => tx<{ id: string }[]>`
  delete from webhooks.endpoints where org_id = ${orgId} and id = ${id} returning id`

/** The present secret becomes the newest of the previous ones, of which three sign. */
export const rotateSecret = (
  tx: Tx,
  { orgId, id }: { orgId: string; id: string },
  encryptedSecret: string,
  previousUntil: string,
  now: string,
) => tx<{ id: string }[]>`
  update webhooks.endpoints set
    previous_secrets =
      (secret || case when previous_secrets_until > ${now} then previous_secrets else '{}' end)[1:3],
    previous_secrets_until = ${previousUntil}, secret = ${encryptedSecret}
  where org_id = ${orgId} and id = ${id}
  returning id`

type HealthRow = OrNull<Omit<WebhookEndpointHealth, 'replay'>>

export const findHealth = (sql: Sql, orgId: string, id: string, now: string) => sql<HealthRow[]>`
  select id, status, pause_reason as "pauseReason", failures, failing_since as "failingSinceTime",
    succeeded_at as "lastSuccessTime",
    case when previous_secrets_until > ${now} then previous_secrets_until end as "previousSecretExpireTime"
  from webhooks.endpoints where org_id = ${orgId} and id = ${id}`

/** Drops previous secrets that no longer sign, because their key may be gone. */
export const dropExpiredSecrets = (sql: Sql, now: string) => sql`
  update webhooks.endpoints set previous_secrets = '{}', previous_secrets_until = null
  where previous_secrets_until <= ${now}`

interface SecretRow {
  id: string
  secret: string
  previous_secrets: string[]
}

/** Encrypted secrets of all organizations, by id. */
export const listSecrets = (sql: Sql, after: string, limit: number) => sql<SecretRow[]>`
  select id, secret, previous_secrets from webhooks.endpoints where id > ${after} order by id limit ${limit}`

/** Nothing is written if the secret has changed since it was read. */
export const replaceSecrets = (sql: Sql, before: SecretRow, after: { secret: string; previous: string[] }) => sql`
  update webhooks.endpoints set secret = ${after.secret}, previous_secrets = ${after.previous}
  where id = ${before.id} and secret = ${before.secret}`
