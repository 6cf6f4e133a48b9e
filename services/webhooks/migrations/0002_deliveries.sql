-- Events of cases and assignments, with the exact bytes that are sent. `timestamp` is the time of the event, so that an
-- event that arrives again has the same primary key.
create table webhooks.events (
  id text collate "C" not null,
  timestamp timestamptz(3) not null,
  org_id text collate "C" not null,
  type text not null,
  body text not null,
  -- The trace context of the span in which the event was emitted.
  traceparent text,
  -- The endpoint of a test event, which no other endpoint gets.
  endpoint_id text collate "C",
  primary key (timestamp, id)
) partition by range (timestamp);
create table webhooks.events_default partition of webhooks.events default;
-- Replays read the events of an organization in this order.
create index events_of_organization on webhooks.events (org_id, timestamp, id);

alter table webhooks.endpoints
  -- Why the marketplace paused the endpoint; null if a user did.
  add column pause_reason text,
  -- Failed attempts since the last success or activation, and the time of the first one. Test events do not count.
  add column failures integer not null default 0,
  add column failing_since timestamptz(3),
  -- The time of the last success, at most a minute too early; null before the first one.
  add column succeeded_at timestamptz(3),
  -- After a rotation the earlier secrets also sign until this time, the newest first.
  add column previous_secrets text[] not null default '{}',
  add column previous_secrets_until timestamptz(3);

-- One event for one endpoint. The row is updated at each attempt. Half of each page stays free for the second version
-- of its rows, so that a claim changes no index.
create table webhooks.deliveries (
  id text collate "C" primary key,
  org_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  event_id text collate "C" not null,
  event_time timestamptz(3) not null,
  type text not null,
  -- 0 for the delivery at the time of the event; each replay of it has the next number.
  replay integer not null default 0,
  -- A test event, whose attempts say nothing about the endpoint.
  is_test boolean not null default false,
  state text not null default 'PENDING' check (state in ('PENDING', 'DELIVERED', 'FAILED')),
  -- Attempts that were started.
  attempt integer not null default 0,
  -- Attempts that users asked for, which do not count against the schedule.
  retries integer not null default 0,
  next_attempt_at timestamptz(3) not null,
  lease_until timestamptz,
  lease_token uuid,
  created_at timestamptz(3) not null,
  finished_at timestamptz(3)
) with (fillfactor = 45);
-- Each delivery costs an entry of each index below without a condition when it is inserted, and another when it is
-- finished.

-- Claims and the search for due endpoints. Leased deliveries stay in it, because their attempts are short.
create index deliveries_due on webhooks.deliveries (endpoint_id, next_attempt_at) where state = 'PENDING';

-- The number of the next replay of an event. The first deliveries of an event are inserted with it, and need no key.
create unique index deliveries_of_replays on webhooks.deliveries (endpoint_id, event_id, replay) where replay > 0;

-- Lists, newest first, of an organization and of one endpoint. A list merges the ranges of its types and states.
create index deliveries_of_type on webhooks.deliveries (org_id, type, state, created_at desc, id desc);
create index deliveries_of_endpoint on webhooks.deliveries (org_id, endpoint_id, type, state, created_at desc, id desc);

-- Count the pending replays and test events of an organization for their limits.
create index deliveries_replayed on webhooks.deliveries (org_id) where state = 'PENDING' and replay > 0;
create index deliveries_tested on webhooks.deliveries (org_id) where state = 'PENDING' and is_test;

-- The last replay of each endpoint, which runs in bounded steps. The deletion of the endpoint ends it.
create table webhooks.replays (
  endpoint_id text collate "C" primary key references webhooks.endpoints (id) on delete cascade,
  -- The events of this period are sent.
  from_time timestamptz(3) not null,
  to_time timestamptz(3) not null,
  -- The last event that the replay has read.
  position_time timestamptz(3) not null,
  position_id text collate "C" not null,
  -- Deliveries that were created.
  deliveries integer not null default 0,
  created_at timestamptz(3) not null,
  -- Infinity while the endpoint is paused.
  next_step_at timestamptz(3) not null,
  finished_at timestamptz(3)
);
create index replays_unfinished on webhooks.replays (next_step_at) where finished_at is null;

-- Each attempt of a delivery.
create table webhooks.attempts (
  delivery_id text collate "C" not null,
  number integer not null,
  timestamp timestamptz(3) not null,
  duration_ms integer not null,
  -- The status of the response; null without one.
  status integer,
  error text,
  -- The first 4 KiB of the response.
  response text,
  -- A result whose commit was not confirmed is recorded again.
  primary key (delivery_id, number, timestamp)
) partition by range (timestamp);
create table webhooks.attempts_default partition of webhooks.attempts default;

grant select, insert on webhooks.events, webhooks.attempts to marketplace_webhooks;
grant select, insert, update, delete on webhooks.deliveries, webhooks.replays to marketplace_webhooks;

select ensure_month_partitions('events', 3);
select ensure_month_partitions('attempts', 3);
