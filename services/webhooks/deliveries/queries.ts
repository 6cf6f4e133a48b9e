import type { Sql, Tx } from '../../kit/db/client.ts'

/** Wakes the dispatchers of all replicas after the commit. */
export const DUE_CHANNEL = 'webhooks_due'

export interface NewEvent {
  id: string
  timestamp: string
  orgId: string
  type: string
  body: string
}

/**
 * Stores an event and a delivery for each active endpoint that subscribes to it. An event that arrives again adds nothing:
 * its row and its deliveries exist.
 */
export const storeEvent = (tx: Tx, event: NewEvent, subscriptions: readonly string[], now: string) => tx`
  with stored as (
    insert into webhooks.events (id, timestamp, org_id, type, body)
    values (${event.id}, ${event.timestamp}, ${event.orgId}, ${event.type}, ${event.body})
    on conflict (timestamp, id) do nothing
    returning id
  )
  insert into webhooks.deliveries
    (id, org_id, endpoint_id, event_id, event_time, type, next_attempt_at, created_at)
  select 'dlv_' || replace(uuidv7()::text, '-', ''), e.org_id, e.id, ${event.id}, ${event.timestamp}, ${event.type},
    ${now}, ${now}
  from stored, webhooks.endpoints e
  where e.org_id = ${event.orgId} and e.status = 'active' and e.events && ${[...subscriptions]}::text[]
  on conflict do nothing`

export const notifyDue = (tx: Tx) => tx`select pg_notify(${DUE_CHANNEL}, '')`

export interface ClaimedDelivery {
  id: string
  org_id: string
  endpoint_id: string
  event_id: string
  attempt: number
  url: string
  secret: string
  previous_secret: string | null
  body: string
}

/** What a replica runs now. */
export interface Running {
  endpointIds: readonly string[]
  endpointCounts: readonly number[]
  orgIds: readonly string[]
  orgCounts: readonly number[]
}

export interface ClaimLimits {
  /** Free slots. */
  slots: number
  perEndpoint: number
  leaseSeconds: number
}

/**
 * Leases due deliveries of active endpoints: of each organization in turn, and of each of its endpoints in turn. An
 * organization may occupy a third of the slots that are then free, and an endpoint a third of what its organization has
 * left (dynamic thresholds). So one organization gets at most a quarter, and however many hang, some slots stay free. The
 * rows of the endpoints are locked FOR SHARE, so that once a change of an endpoint has been committed no claim overlooks
 * it.
 */
export const claimDue = (sql: Sql, running: Running, limits: ClaimLimits, leaseToken: string, now: string) => sql<
  ClaimedDelivery[]
>`
  with due as (
    select d.id, e.id as endpoint_id, e.org_id,
      row_number() over (partition by e.id order by d.next_attempt_at) + coalesce(be.running, 0) as endpoint_place
    from webhooks.endpoints e
    left join unnest(${[...running.endpointIds]}::text[], ${[...running.endpointCounts]}::integer[]) be (id, running)
      on be.id = e.id
    cross join lateral (
      select id, next_attempt_at from webhooks.deliveries
      where endpoint_id = e.id and state = 'PENDING' and next_attempt_at <= ${now}
        and (lease_until is null or lease_until < clock_timestamp())
      order by next_attempt_at
      limit greatest(0, least(${limits.slots}, ${limits.perEndpoint} - coalesce(be.running, 0)))
    ) d
    where e.status = 'active'
  ), placed as (
    select due.id, due.endpoint_id, endpoint_place,
      row_number() over (partition by due.org_id order by endpoint_place, due.endpoint_id) + coalesce(bo.running, 0)
        as organization_place
    from due
    left join unnest(${[...running.orgIds]}::text[], ${[...running.orgCounts]}::integer[]) bo (id, running)
      on bo.id = due.org_id
  ), ranked as (
    select id, endpoint_id, endpoint_place, organization_place,
      ceil((${limits.slots}::integer + 1 - row_number() over (order by organization_place, id)) / 3.0) as share
    from placed
  ), chosen as (
    select id, endpoint_id from ranked
    where organization_place <= share and endpoint_place <= ceil((share + 1 - organization_place) / 3)
  ), active as (
    select id from webhooks.endpoints
    where id in (select endpoint_id from chosen) and status = 'active' order by id for share
  ), leased as (
    select id from webhooks.deliveries
    where id in (select id from chosen) and endpoint_id in (select id from active) and state = 'PENDING'
      and (lease_until is null or lease_until < clock_timestamp())
    for update skip locked
  )
  update webhooks.deliveries d set
    attempt = d.attempt + 1, lease_token = ${leaseToken},
    lease_until = clock_timestamp() + make_interval(secs => ${limits.leaseSeconds})
  from leased, webhooks.endpoints e, webhooks.events v
  where d.id = leased.id and e.id = d.endpoint_id and v.timestamp = d.event_time and v.id = d.event_id
  returning d.id, d.org_id, d.endpoint_id, d.event_id, d.attempt, e.url, e.secret,
    case when e.previous_secret_until > ${now} then e.previous_secret end as previous_secret, v.body`

/** The result of an attempt. */
export interface Completion {
  deliveryId: string
  endpointId: string
  attempt: number
  leaseToken: string
  state: 'PENDING' | 'DELIVERED' | 'FAILED'
  /** Of a delivery that stays PENDING. */
  nextAttemptAt: string
  startedAt: string
  durationMs: number
  status: number | null
  error: string | null
  response: string | null
}

/**
 * Records results and returns those whose lease was still held: a worker whose lease has expired does not overwrite the
 * result of a later attempt.
 */
export const completeDeliveries = (tx: Tx, results: readonly Completion[], now: string) => tx<{ id: string }[]>`
  with results as (
    select r."deliveryId", r.attempt, r."leaseToken", r.state, r."nextAttemptAt", r."startedAt", r."durationMs", r.status,
      r.error, r.response
    from json_to_recordset(${JSON.stringify(results)}::text::json) as r (
      "deliveryId" text, "attempt" integer, "leaseToken" uuid, "state" text, "nextAttemptAt" timestamptz,
      "startedAt" timestamptz, "durationMs" integer, "status" integer, "error" text, "response" text)
  ), recorded as (
    insert into webhooks.attempts (delivery_id, number, timestamp, duration_ms, status, error, response)
    select "deliveryId", attempt, "startedAt", "durationMs", status, error, response from results
  )
  update webhooks.deliveries d set
    state = results.state, next_attempt_at = results."nextAttemptAt", lease_until = null, lease_token = null,
    finished_at = case when results.state <> 'PENDING' then ${now}::timestamptz end
  from results
  where d.id = results."deliveryId" and d.lease_token = results."leaseToken"
  returning d.id`

export interface EndpointResult {
  endpointId: string
  failures: number
  hasSuccess: boolean
  isGone: boolean
}

/** Counts the failures of endpoints since their last success. Rows without a change are not written. */
export const countResults = (tx: Tx, results: readonly EndpointResult[], now: string) => tx<
  { id: string; failures: number; succeeded_at: string; is_gone: boolean }[]
>`
  update webhooks.endpoints e set
    failures = case when r."hasSuccess" then 0 else e.failures + r.failures end,
    succeeded_at = case when r."hasSuccess" then ${now}::timestamptz else e.succeeded_at end
  from (
    select s."endpointId", s.failures, s."hasSuccess", s."isGone" from json_to_recordset(${JSON.stringify(results)}::text::json) as s (
      "endpointId" text, failures integer, "hasSuccess" boolean, "isGone" boolean)
    order by s."endpointId"
  ) r
  where e.id = r."endpointId"
    and (r.failures > 0 or e.failures > 0 or e.succeeded_at < ${now}::timestamptz - interval '1 minute')
  returning e.id, e.failures, e.succeeded_at, r."isGone" as is_gone`

/** Pauses endpoints for a reason that their organization can read. */
export const pauseEndpoints = (tx: Tx, ids: readonly string[], reason: string, now: string) => tx`
  update webhooks.endpoints set status = 'paused', pause_reason = ${reason}, updated_at = ${now}
  where id = any(${[...ids]}) and status = 'active'`

export const deleteDeliveries = (sql: Sql, before: string, limit: number) => sql`
  delete from webhooks.deliveries where id = any(array(
    select id from webhooks.deliveries where event_time < ${before} order by event_time limit ${limit}
    for update skip locked))`

const MONTHS_AHEAD = 3

export const ensurePartitions = (sql: Sql) => sql`
  select ensure_month_partitions('events', ${MONTHS_AHEAD}), ensure_month_partitions('attempts', ${MONTHS_AHEAD})`

export const dropOldPartitions = (sql: Sql) => sql`select webhooks.drop_old_partitions()`

/** The deliveries that wait for active endpoints, and the paused endpoints. Counts end at 10,000. */
export const measureDeliveries = (sql: Sql) => sql<[{ due: number; oldest_ms: number | null; paused: number }]>`
  select
    (select count(*)::integer from (
      select from webhooks.deliveries d join webhooks.endpoints e on e.id = d.endpoint_id and e.status = 'active'
      where d.state = 'PENDING' and d.next_attempt_at <= now() limit 10000) due) as due,
    (select extract(epoch from now() - min(oldest.next_attempt_at))::float * 1000 from webhooks.endpoints e
      cross join lateral (
        select next_attempt_at from webhooks.deliveries
        where endpoint_id = e.id and state = 'PENDING' order by next_attempt_at limit 1) oldest
      where e.status = 'active' and oldest.next_attempt_at <= now()) as oldest_ms,
    (select count(*)::integer from webhooks.endpoints where pause_reason is not null and status = 'paused') as paused`
