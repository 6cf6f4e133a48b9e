-- Events of cases and assignments, with the exact bytes that are sent. The time is that of the event, so that an event that
-- arrives again meets its row.
create table webhooks.events (
  id text collate "C" not null,
  timestamp timestamptz(3) not null,
  org_id text collate "C" not null,
  type text not null,
  body text not null,
  -- Of the span in which the event was emitted.
  traceparent text,
  -- Of a test event, which no other endpoint gets.
  endpoint_id text collate "C",
  primary key (timestamp, id)
) partition by range (timestamp);
create table webhooks.events_default partition of webhooks.events default;
-- For a replay.
create index events_of_organization on webhooks.events (org_id, timestamp, id);

alter table webhooks.endpoints
  -- Why the marketplace paused the endpoint; null if a user did.
  add column pause_reason text,
  -- Failed attempts since the last success.
  add column failures integer not null default 0,
  -- Of the last success; before the first one, of the creation. An activation counts as one.
  add column succeeded_at timestamptz(3) not null default now(),
  -- After a rotation the earlier secrets also sign until this time, the newest first.
  add column previous_secrets text[] not null default '{}',
  add column previous_secrets_until timestamptz(3);

-- One event for one endpoint. The row is updated at each attempt. Half of each page stays free for the second version of its
-- rows, so that a claim changes no index.
create table webhooks.deliveries (
  id text collate "C" primary key,
  org_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  event_id text collate "C" not null,
  event_time timestamptz(3) not null,
  type text not null,
  -- 0 for the first delivery of the event to the endpoint; each replay has the next number.
  replay integer not null default 0,
  state text not null default 'PENDING' check (state in ('PENDING', 'DELIVERED', 'FAILED')),
  -- Attempts that were started.
  attempt integer not null default 0,
  -- Those of them that users asked for, which do not count against the schedule.
  retries integer not null default 0,
  next_attempt_at timestamptz(3) not null,
  lease_until timestamptz,
  lease_token uuid,
  created_at timestamptz(3) not null,
  finished_at timestamptz(3),
  unique (endpoint_id, event_id, replay)
) with (fillfactor = 45);
-- The due deliveries of an endpoint. Leased ones stay in it, because their attempts are short.
create index deliveries_due on webhooks.deliveries (endpoint_id, next_attempt_at) where state = 'PENDING';

-- Lists, newest first: one index for each filter.
create index deliveries_listed on webhooks.deliveries (org_id, created_at desc, id desc);
create index deliveries_of_endpoint on webhooks.deliveries (org_id, endpoint_id, created_at desc, id desc);
create index deliveries_of_type on webhooks.deliveries (org_id, type, created_at desc, id desc);
-- The predicate is that of PENDING, in other words: over few rows the planner would take this index for claims, too.
create index deliveries_pending on webhooks.deliveries (org_id, created_at desc, id desc) where finished_at is null;
create index deliveries_failed on webhooks.deliveries (org_id, created_at desc, id desc) where state = 'FAILED';

-- Each attempt of a delivery.
create table webhooks.attempts (
  delivery_id text collate "C" not null,
  number integer not null,
  timestamp timestamptz(3) not null,
  duration_ms integer not null,
  -- Of the response; null without one.
  status integer,
  error text,
  -- The first 4 KiB of the response.
  response text
) partition by range (timestamp);
create table webhooks.attempts_default partition of webhooks.attempts default;
create index attempts_of_delivery on webhooks.attempts (delivery_id, number);

grant select, insert on webhooks.events, webhooks.attempts to marketplace_webhooks;
grant select, insert, update, delete on webhooks.deliveries to marketplace_webhooks;

select ensure_month_partitions('events', 3);
select ensure_month_partitions('attempts', 3);
