import type { WebhookDelivery } from '../../../proto/http/webhooks/deliveries.ts'
import { ENDPOINT } from '../../../proto/states/endpoints.ts'
import { announce } from '../../kit/db/announcements.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import { commitsAsynchronously } from '../../kit/db/conditions.ts'
import { lockByName } from '../../kit/db/locks.ts'
import type { OrNull } from '../../kit/db/rows.ts'
import type { Candidate } from './slots.ts'

export type DeliveryRow = OrNull<WebhookDelivery>

/** The shown columns of a delivery, whose table or row has the alias `d`. */
export const deliveryColumns = (sql: Sql) => sql`
  d.id, d.endpoint_id as "endpointId", d.event_id as "eventId", d.type, d.state, d.replay, d.attempt as attempts,
  d.created_at as "createdTime",
  case when d.state = 'PENDING' and exists (
    select from webhooks.endpoints e where e.id = d.endpoint_id and e.status = 'active'
  ) then d.next_attempt_at end as "nextAttemptTime",
  d.finished_at as "finishedTime"`

/** Channel that announces to the dispatchers of all replicas which organizations have due deliveries. */
export const DUE_CHANNEL = 'webhooks_due'

export interface NewEvent {
  id: string
  timestamp: string
  orgId: string
  type: string
  body: string
  traceparent: string | null
  /** The subscriptions that match its type. */
  subscriptions: readonly string[]
}

/**
 * Stores events and a delivery of each for each active endpoint that subscribes to it. Returns the organizations with
 * deliveries. An event that arrives again adds nothing: its row and its deliveries exist.
 */
export const storeEvents = (tx: Tx, events: readonly NewEvent[], now: string) => tx<{ org_id: string }[]>`
  with arrived as (
    select a.id, a.timestamp, a."orgId", a.type, a.body, a.traceparent, a.subscriptions
    from json_to_recordset(${JSON.stringify(events)}::text::json) as a (
      id text, timestamp timestamptz(3), "orgId" text, type text, body text, traceparent text, subscriptions text[])
  ), stored as (
    insert into webhooks.events (id, timestamp, org_id, type, body, traceparent)
    select id, timestamp, "orgId", type, body, traceparent from arrived
    on conflict (timestamp, id) do nothing
    returning id
  ), inserted as (
    insert into webhooks.deliveries
      (id, org_id, endpoint_id, event_id, event_time, type, next_attempt_at, created_at)
    select 'dlv_' || replace(uuidv7()::text, '-', ''), e.org_id, e.id, a.id, a.timestamp, a.type, ${now}, ${now}
    from stored join arrived a on a.id = stored.id
    join webhooks.endpoints e on e.org_id = a."orgId" and e.status = 'active' and e.events && a.subscriptions
    returning org_id
  )
  select distinct org_id from inserted`

/** Wakes the dispatchers after the commit. */
export const announceDue = (tx: Tx, orgIds: readonly string[]) => announce(tx, DUE_CHANNEL, orgIds)

export interface ClaimedDelivery {
  id: string
  org_id: string
  endpoint_id: string
  event_id: string
  event_time: string
  /** 0 for the first delivery of an event. */
  replay: number
  attempt: number
  /** Attempts that do not count against the schedule: users asked for them, or the one before has no result. */
  retries: number
  is_test: boolean
  is_proven: boolean
  url: string
  secret: string
  previous_secrets: string[]
  body: string
  type: string
  traceparent: string | null
  lease_token: string
}

/**
 * The endpoints with pending deliveries, and null. The recursion reads one entry of the index for each of them,
 * whatever the number of its deliveries and of other endpoints.
 */
const withPending = (sql: Sql) => sql`
  with recursive pending (endpoint_id) as (
    (select endpoint_id from webhooks.deliveries where state = 'PENDING' order by endpoint_id limit 1)
    union all
    select (
      select endpoint_id from webhooks.deliveries
      where state = 'PENDING' and endpoint_id > pending.endpoint_id order by endpoint_id limit 1)
    from pending where pending.endpoint_id is not null
  )`

/** The active endpoints with due deliveries. */
export const listDueEndpoints = (sql: Sql, now: string) => sql<Candidate[]>`
  ${withPending(sql)}
  select e.id as "endpointId", e.org_id as "orgId", ${isProven(sql)} as "isProven"
  from pending join webhooks.endpoints e on e.id = pending.endpoint_id
  where ${isDue(sql, now)}`

/** The active endpoints of some organizations with due deliveries. */
export const listDueEndpointsOf = (sql: Sql, orgIds: readonly string[], now: string) => sql<Candidate[]>`
  select e.id as "endpointId", e.org_id as "orgId", ${isProven(sql)} as "isProven"
  from webhooks.endpoints e where e.org_id = any(${[...orgIds]}) and ${isDue(sql, now)}`

/** Failures are counted since the last success. */
const isProven = (sql: Sql) => sql`e.failures = 0 and e.succeeded_at is not null`

const isDue = (sql: Sql, now: string) => sql`
  e.status = 'active' and exists (
    select from webhooks.deliveries
    where endpoint_id = e.id and state = 'PENDING' and next_attempt_at <= ${now}
      and (lease_until is null or lease_until < clock_timestamp()))`

/**
 * Leases at most a number of due deliveries of each of some endpoints. The rows of the endpoints are locked against the
 * FOR UPDATE of a change or deletion, so that no claim overlooks one that has been committed. Results of attempts,
 * which count failures in the rows, do not wait for the lock. A lease that a crash of Postgres loses is of a delivery
 * whose result was not recorded either. An expired lease means that the last attempt has no result, because its worker
 * was killed: the attempt in its place does not count against the schedule.
 */
export const claimDue = (
  sql: Sql,
  shares: ReadonlyMap<string, number>,
  lease: { token: string; seconds: number },
  now: string,
) => sql<ClaimedDelivery[]>`
  with active as (
    select id from webhooks.endpoints
    where id = any(${[...shares.keys()]}) and status = 'active' and ${commitsAsynchronously(sql)} order by id for key share
  ), leased as (
    select d.id from active
    join unnest(${[...shares.keys()]}::text[], ${[...shares.values()]}::integer[]) share (id, slots) on share.id = active.id
    cross join lateral (
      select id from webhooks.deliveries
      where endpoint_id = active.id and state = 'PENDING' and next_attempt_at <= ${now}
        and (lease_until is null or lease_until < clock_timestamp())
      order by next_attempt_at limit share.slots
      for update skip locked
    ) d
  )
  update webhooks.deliveries d set
    attempt = d.attempt + 1, retries = d.retries + case when d.lease_until is null then 0 else 1 end,
    lease_token = ${lease.token},
    lease_until = clock_timestamp() + make_interval(secs => ${lease.seconds})
  from webhooks.endpoints e, webhooks.events v
  where d.id = any(array(select id from leased))
    and e.id = d.endpoint_id and v.timestamp = d.event_time and v.id = d.event_id
  returning d.id, d.org_id, d.endpoint_id, d.event_id, d.event_time, d.replay, d.attempt, d.retries, d.is_test,
    ${isProven(sql)} as is_proven, e.url, e.secret,
    case when e.previous_secrets_until > ${now} then e.previous_secrets else '{}' end as previous_secrets, v.body, v.type,
    v.traceparent, d.lease_token`

/** Ends leases whose attempts will have no result. The deliveries are due at once. */
export const releaseLeases = (sql: Sql, leases: readonly Pick<ClaimedDelivery, 'id' | 'lease_token'>[]) => sql`
  update webhooks.deliveries d set lease_until = clock_timestamp()
  from unnest(${leases.map(({ id }) => id)}::text[], ${leases.map((lease) => lease.lease_token)}::uuid[]) lease (id, token)
  where d.id = lease.id and d.lease_token = lease.token`

/** The result of an attempt. */
export interface Completion {
  deliveryId: string
  endpointId: string
  isTest: boolean
  attempt: number
  leaseToken: string
  state: 'PENDING' | 'DELIVERED' | 'FAILED'
  /** Time of the next attempt, if the delivery stays PENDING. */
  nextAttemptAt: string
  startedAt: string
  durationMs: number
  status: number | null
  error: string | null
  response: string | null
}

/**
 * Records results and returns those whose lease was still held: a worker whose lease has expired does not overwrite the
 * result of a later attempt. A result that was recorded before changes nothing.
 */
export const completeDeliveries = (sql: Sql, results: readonly Completion[], now: string) => sql<{ id: string }[]>`
  with results as (
    select r."deliveryId", r.attempt, r."leaseToken", r.state, r."nextAttemptAt", r."startedAt", r."durationMs", r.status,
      r.error, r.response
    from json_to_recordset(${JSON.stringify(results)}::text::json) as r (
      "deliveryId" text, "attempt" integer, "leaseToken" uuid, "state" text, "nextAttemptAt" timestamptz,
      "startedAt" timestamptz, "durationMs" integer, "status" integer, "error" text, "response" text)
  ), recorded as (
    insert into webhooks.attempts (delivery_id, number, timestamp, duration_ms, status, error, response)
    select "deliveryId", attempt, "startedAt", "durationMs", status, error, response from results
    on conflict do nothing
  )
  update webhooks.deliveries d set
    state = results.state, next_attempt_at = results."nextAttemptAt", lease_until = null, lease_token = null,
    finished_at = case when results.state <> 'PENDING' then ${now}::timestamptz end
  from results
  where d.id = any(${results.map(({ deliveryId }) => deliveryId)}) and d.id = results."deliveryId"
    and d.lease_token = results."leaseToken"
  returning d.id`

export interface EndpointResult {
  endpointId: string
  failures: number
  hasSuccess: boolean
}

/** Counts the failures of endpoints since their last success. Rows without a change are not written. */
export const countResults = (tx: Tx, results: readonly EndpointResult[], now: string) => tx<
  { id: string; failures: number; failing_since: string | null }[]
>`
  update webhooks.endpoints e set
    failures = case when r."hasSuccess" then 0 else e.failures + r.failures end,
    failing_since = case when not r."hasSuccess" then coalesce(e.failing_since, ${now}::timestamptz) end,
    succeeded_at = case when r."hasSuccess" then ${now}::timestamptz else e.succeeded_at end
  from (
    select s."endpointId", s.failures, s."hasSuccess" from json_to_recordset(${JSON.stringify(results)}::text::json) as s (
      "endpointId" text, failures integer, "hasSuccess" boolean)
    order by s."endpointId"
  ) r
  where e.id = r."endpointId" and (
    not r."hasSuccess" or e.failures > 0 or e.succeeded_at is null
    or e.succeeded_at < ${now}::timestamptz - interval '1 minute')
  returning e.id, e.failures, e.failing_since`

/** Pauses an endpoint for a reason that its organization can read. */
export const pauseEndpoint = (tx: Tx, id: string, reason: string, now: string) => tx<{ org_id: string }[]>`
  update webhooks.endpoints set
    status = ${ENDPOINT.verbs.pause.to}, pause_reason = ${reason}, updated_at = greatest(${now}, updated_at + interval '1 millisecond')
  where id = ${id} and status = any(${[...ENDPOINT.verbs.pause.from]})
  returning org_id`

/** Maximum for one statement. The clean-up ends the others within minutes. */
const MAX_ENDED_DELIVERIES = 1000

/** Ends pending deliveries of a deleted endpoint. Locked and further ones are left for the clean-up. */
export const endDeliveries = (tx: Tx, endpointId: string, now: string) => tx`
  update webhooks.deliveries set state = 'FAILED', finished_at = ${now} where id = any(array(
    select id from webhooks.deliveries where endpoint_id = ${endpointId} and state = 'PENDING'
    limit ${MAX_ENDED_DELIVERIES} for update skip locked))`

/** Ends pending deliveries of deleted endpoints, which are no longer claimed. */
export const failAbandoned = (sql: Sql, now: string, limit: number) => sql`
  ${withPending(sql)}
  update webhooks.deliveries set state = 'FAILED', finished_at = ${now} where id = any(array(
    select abandoned.id from pending cross join lateral (
      select id from webhooks.deliveries where endpoint_id = pending.endpoint_id and state = 'PENDING'
      limit ${limit} for update skip locked
    ) abandoned
    where not exists (select from webhooks.endpoints where id = pending.endpoint_id)
    limit ${limit}))`

const MONTHS_AHEAD = 3

export const ensurePartitions = (sql: Sql) => sql`
  select ensure_month_partitions('events', ${MONTHS_AHEAD}), ensure_month_partitions('attempts', ${MONTHS_AHEAD})`

export const dropOldPartitions = (sql: Sql) => sql`select webhooks.drop_old_partitions()`

/**
 * The deliveries that wait for active endpoints, and the paused endpoints. Counts end at 10,000. The oldest one is that
 * of an endpoint whose last attempt succeeded: the deliveries of one that fails or hangs wait because of it.
 */
export const measureDeliveries = (sql: Sql) => sql<[{ due: number; oldest_ms: number | null; paused: number }]>`
  select
    (select count(*)::integer from (
      select from webhooks.deliveries d join webhooks.endpoints e on e.id = d.endpoint_id and e.status = 'active'
      where d.state = 'PENDING' and d.next_attempt_at <= now() limit 10000) due) as due,
    (select extract(epoch from now() - min(oldest.next_attempt_at))::float * 1000 from webhooks.endpoints e
      cross join lateral (
        select next_attempt_at from webhooks.deliveries
        where endpoint_id = e.id and state = 'PENDING' order by next_attempt_at limit 1) oldest
      where e.status = 'active' and e.failures = 0 and oldest.next_attempt_at <= now()) as oldest_ms,
    (select count(*)::integer from webhooks.endpoints where pause_reason is not null and status = 'paused') as paused`

export const lockDelivery = (tx: Tx, orgId: string, id: string) => tx<
  { state: WebhookDelivery['state']; replay: number; is_test: boolean; has_endpoint: boolean }[]
>`
  select state, replay, is_test, exists (select from webhooks.endpoints where id = endpoint_id) as has_endpoint
  from webhooks.deliveries where org_id = ${orgId} and id = ${id} for update`

/** Makes a delivery due. It is one more attempt only if the delivery had FAILED or its next attempt was later. */
export const makeDue = (tx: Tx, orgId: string, id: string, now: string) => tx<[DeliveryRow]>`
  update webhooks.deliveries d set state = 'PENDING', next_attempt_at = ${now}, finished_at = null,
    retries = retries + case when state = 'FAILED' or next_attempt_at > ${now} then 1 else 0 end
  where org_id = ${orgId} and id = ${id}
  returning ${deliveryColumns(tx)}`

/** Serializes what adds pending deliveries of replays to an organization, so that they do not exceed the limit. */
export const lockReplays = (tx: Tx, orgId: string) => lockByName(tx, 'replays', orgId)

/** The pending deliveries that replays of an organization created, counted up to `most`. */
export const countPendingReplays = (sql: Sql, orgId: string, most: number) => sql<[{ count: number }]>`
  select count(*)::integer as count from (
    select from webhooks.deliveries where org_id = ${orgId} and state = 'PENDING' and replay > 0 limit ${most}) pending`

/** Serializes the test events of an organization, so that concurrent requests do not exceed the limit. */
export const lockTests = (tx: Tx, orgId: string) => lockByName(tx, 'tests', orgId)

export const countPendingTests = (tx: Tx, orgId: string) => tx<[{ count: number }]>`
  select count(*)::integer as count from webhooks.deliveries
  where org_id = ${orgId} and state = 'PENDING' and is_test`
