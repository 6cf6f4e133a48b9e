import type { Period } from '../../../proto/http/times.ts'
import type { WebhookReplay } from '../../../proto/http/webhooks/endpoint-flows.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import type { OrNull } from '../../kit/db/rows.ts'

type ReplayRow = OrNull<WebhookReplay>

const replayColumns = (sql: Sql) => sql`
  from_time as "from", to_time as "to", deliveries, created_at as "createdTime", finished_at as "finishedTime"`

/** The last replay of an endpoint. */
export const findReplay = (sql: Sql, orgId: string, endpointId: string) => sql<ReplayRow[]>`
  select ${replayColumns(sql)} from webhooks.replays
  where endpoint_id = (select id from webhooks.endpoints where org_id = ${orgId} and id = ${endpointId})`

/** Inserts a replay, which replaces a finished one. No row while an earlier one is unfinished. */
export const insertReplay = (tx: Tx, endpointId: string, { from, to }: Period, now: string) => tx<ReplayRow[]>`
  insert into webhooks.replays as r (endpoint_id, from_time, to_time, created_at)
  values (${endpointId}, ${from}, ${to}, ${now})
  on conflict (endpoint_id) do update set
    from_time = excluded.from_time, to_time = excluded.to_time, deliveries = 0, created_at = excluded.created_at,
    finished_at = null
  where r.finished_at is not null
  returning ${replayColumns(tx)}`

interface RunningReplay {
  status: 'active' | 'paused'
  failures: number
  /** The number of deliveries created so far. */
  deliveries: number
  events: string[]
  from_time: string
  to_time: string
}

/**
 * The replay of an endpoint. The lock of the endpoint lets the results of attempts be recorded, but no change or
 * deletion of the endpoint overtakes the step.
 */
export const lockReplay = (tx: Tx, endpointId: string) => tx<RunningReplay[]>`
  select e.status, e.failures, r.deliveries, e.events, r.from_time, r.to_time
  from webhooks.endpoints e join webhooks.replays r on r.endpoint_id = e.id
  where e.id = ${endpointId} for key share of e`

/** The due deliveries of an endpoint, counted up to `most`. */
export const countDue = (tx: Tx, endpointId: string, now: string, most: number) => tx<[{ count: number }]>`
  select count(*)::integer as count from (
    select from webhooks.deliveries
    where endpoint_id = ${endpointId} and state = 'PENDING' and next_attempt_at <= ${now} limit ${most}) due`

/** The last event that a replay has read. */
export interface Position {
  time: string
  id: string
}

interface Step extends Position {
  orgId: string
  endpointId: string
  /** What the endpoint subscribes to. */
  subscriptions: readonly string[]
  to: string
  maxEvents: number
  maxDeliveries: number
}

/**
 * Looks at the next events of a replay and creates a delivery for each one to which the endpoint subscribes, with the
 * next replay number of the event. A subscription with `*` is a prefix of types. Test events are left out. Without
 * further events there is no position.
 */
export const stepReplay = (tx: Tx, step: Step, now: string) => tx<
  [{ created: number; time: string | null; id: string | null; isFinished: boolean }]
>`
  with looked_at as materialized (
    select id, timestamp, type, endpoint_id from webhooks.events
    where org_id = ${step.orgId} and timestamp between ${step.time} and ${step.to}
      and (timestamp, id) > (${step.time}::timestamptz, ${step.id})
    order by timestamp, id limit ${step.maxEvents}
  ), subscribed as materialized (
    select id, timestamp, type from looked_at
    where endpoint_id is null and exists (
      select from unnest(${[...step.subscriptions]}::text[]) subscription
      where type = subscription or right(subscription, 2) = '.*' and starts_with(type, left(subscription, -1)))
    order by timestamp, id limit ${step.maxDeliveries}
  ), counted as (
    select (select count(*) from subscribed) = ${step.maxDeliveries} as is_full,
      (select count(*) from looked_at) < ${step.maxEvents} as is_last
  ), position as (
    select timestamp, id from subscribed where (select is_full from counted)
    union all
    select timestamp, id from looked_at where not (select is_full from counted)
    order by timestamp desc, id desc limit 1
  ), created as (
    insert into webhooks.deliveries
      (id, org_id, endpoint_id, event_id, event_time, type, replay, next_attempt_at, created_at)
    select 'dlv_' || replace(uuidv7()::text, '-', ''), ${step.orgId}, ${step.endpointId}, event.id, event.timestamp,
      event.type, coalesce((
        select max(replay) from webhooks.deliveries d
        where d.endpoint_id = ${step.endpointId} and d.event_id = event.id and d.replay > 0
      ), 0) + 1, ${now}, ${now}
    from subscribed event
    returning id
  )
  update webhooks.replays set
    deliveries = deliveries + (select count(*) from created)::integer,
    finished_at = case when (select is_last and not is_full from counted) then ${now}::timestamptz end
  where endpoint_id = ${step.endpointId}
  returning (select count(*) from created)::integer as created, (select timestamp from position) as time,
    (select id from position) as id, finished_at is not null as "isFinished"`
