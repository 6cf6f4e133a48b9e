import type { Period } from '../../../proto/http/times.ts'
import type { WebhookReplay } from '../../../proto/http/webhooks/endpoint-flows.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'

type ReplayRow = Omit<WebhookReplay, 'finishedTime'> & { finishedTime: string | null }

const replayColumns = (sql: Sql) => sql`
  from_time as "from", to_time as "to", deliveries, created_at as "createdTime", finished_at as "finishedTime"`

/** The last replay of an endpoint. */
export const findReplay = (sql: Sql, orgId: string, endpointId: string) => sql<ReplayRow[]>`
  select ${replayColumns(sql)} from webhooks.replays
  where endpoint_id = (select id from webhooks.endpoints where org_id = ${orgId} and id = ${endpointId})`

/** Inserts a replay, which replaces a finished one. No row while an earlier one is unfinished. */
export const insertReplay = (tx: Tx, endpointId: string, { from, to }: Period, now: string) => tx<ReplayRow[]>`
  insert into webhooks.replays as r
    (endpoint_id, from_time, to_time, position_time, position_id, created_at, next_step_at)
  values (${endpointId}, ${from}, ${to}, ${from}, '', ${now}, ${now})
  on conflict (endpoint_id) do update set
    from_time = excluded.from_time, to_time = excluded.to_time, position_time = excluded.position_time,
    position_id = excluded.position_id, deliveries = 0, created_at = excluded.created_at,
    next_step_at = excluded.next_step_at, finished_at = null
  where r.finished_at is not null
  returning ${replayColumns(tx)}`

/** Continues the replay of an endpoint that is active again. */
export const resumeReplay = (tx: Tx, endpointId: string, now: string) => tx`
  update webhooks.replays set next_step_at = ${now} where endpoint_id = ${endpointId} and finished_at is null`

/** The organizations with a replay whose next step is due, the longest due first. */
export const listReplayingOrgs = (sql: Sql, now: string, limit: number) => sql<{ org_id: string }[]>`
  select e.org_id from webhooks.replays r join webhooks.endpoints e on e.id = r.endpoint_id
  where r.finished_at is null and r.next_step_at <= ${now}
  group by e.org_id order by min(r.next_step_at) limit ${limit}`

/** Serializes the steps of an organization, so that together they do not exceed its limit. */
export const tryLockReplays = (tx: Tx, orgId: string) => tx<[{ taken: boolean }]>`
  select pg_try_advisory_xact_lock(hashtextextended('webhooks.replays ' || ${orgId}, 0)) as taken`

interface ClaimedReplay {
  endpoint_id: string
  status: 'active' | 'paused'
  failures: number
  /** The number of deliveries created so far. */
  deliveries: number
  events: string[]
  to_time: string
  position_time: string
  position_id: string
}

/**
 * The replay of an organization that has been due longest. The lock of its endpoint lets the results of attempts be
 * recorded, but no change or deletion of the endpoint overtakes the step.
 */
export const claimReplay = (tx: Tx, orgId: string, now: string) => tx<ClaimedReplay[]>`
  select r.endpoint_id, e.status, e.failures, r.deliveries, e.events, r.to_time, r.position_time, r.position_id
  from webhooks.endpoints e join webhooks.replays r on r.endpoint_id = e.id
  where e.org_id = ${orgId} and r.finished_at is null and r.next_step_at <= ${now}
  order by r.next_step_at limit 1
  for update of r skip locked for key share of e skip locked`

/** The replay of a paused endpoint has no next step. */
export const suspendReplay = (tx: Tx, endpointId: string) => tx`
  update webhooks.replays set next_step_at = 'infinity' where endpoint_id = ${endpointId}`

export const postponeReplay = (tx: Tx, endpointId: string, until: string) => tx`
  update webhooks.replays set next_step_at = ${until} where endpoint_id = ${endpointId}`

/** The due deliveries of an endpoint, counted up to `most`. */
export const countDue = (tx: Tx, endpointId: string, now: string, most: number) => tx<[{ count: number }]>`
  select count(*)::integer as count from (
    select from webhooks.deliveries
    where endpoint_id = ${endpointId} and state = 'PENDING' and next_attempt_at <= ${now} limit ${most}) due`

/**
 * Looks at the next events of a replay and creates a delivery for each one to which the endpoint subscribes, with the
 * next replay number of the event. The position moves in the same statement, so a crash neither loses nor repeats an
 * event. A subscription with `*` is a prefix of types. Test events are left out.
 */
export const stepReplay = (
  tx: Tx,
  orgId: string,
  { endpoint_id: endpointId, events, to_time: to, position_time: afterTime, position_id: afterId }: ClaimedReplay,
  step: { events: number; deliveries: number; now: string; nextStepAt: string },
) => tx<[{ created: number }]>`
  with looked_at as materialized (
    select id, timestamp, type, endpoint_id from webhooks.events
    where org_id = ${orgId} and timestamp between ${afterTime} and ${to}
      and (timestamp, id) > (${afterTime}::timestamptz, ${afterId})
    order by timestamp, id limit ${step.events}
  ), subscribed as materialized (
    select id, timestamp, type from looked_at
    where endpoint_id is null and exists (
      select from unnest(${events}::text[]) subscription
      where type = subscription or right(subscription, 2) = '.*' and starts_with(type, left(subscription, -1)))
    order by timestamp, id limit ${step.deliveries}
  ), counted as (
    select (select count(*) from subscribed) = ${step.deliveries} as is_full,
      (select count(*) from looked_at) < ${step.events} as is_last
  ), position as (
    select timestamp, id from subscribed where (select is_full from counted)
    union all
    select timestamp, id from looked_at where not (select is_full from counted)
    order by timestamp desc, id desc limit 1
  ), created as (
    insert into webhooks.deliveries
      (id, org_id, endpoint_id, event_id, event_time, type, replay, next_attempt_at, created_at)
    select 'dlv_' || replace(uuidv7()::text, '-', ''), ${orgId}, ${endpointId}, event.id, event.timestamp, event.type,
      coalesce((
        select max(replay) from webhooks.deliveries d
        where d.endpoint_id = ${endpointId} and d.event_id = event.id and d.replay > 0
      ), 0) + 1, ${step.now}, ${step.now}
    from subscribed event
    returning id
  )
  update webhooks.replays r set
    position_time = coalesce((select timestamp from position), position_time),
    position_id = coalesce((select id from position), position_id),
    deliveries = deliveries + (select count(*) from created)::integer,
    next_step_at = ${step.nextStepAt},
    finished_at = case when (select is_last and not is_full from counted) then ${step.now}::timestamptz end
  where endpoint_id = ${endpointId}
  returning (select count(*) from created)::integer as created`
