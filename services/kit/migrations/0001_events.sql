-- Applied once in the schema of each service, which is the first one on the search path here.

-- What this service has announced. A row is written in the transaction of the change it tells of.
create table outbox (
  seq bigint generated always as identity primary key,
  -- Readers stay below the oldest running transaction; a lower seq alone may still commit later.
  txid xid8 not null default pg_current_xact_id(),
  id text collate "C" not null unique,
  type text not null,
  subject text not null,
  tenant_id text,
  time timestamptz(3) not null,
  traceparent text,
  -- The JSON text as it is sent on, byte for byte.
  data text not null,
  -- When every reader of the transport had it: acknowledged by the stream, or passed by the last cursor.
  sent_at timestamptz(3)
);
create index outbox_unsent on outbox (seq) where sent_at is null;
create index outbox_sent on outbox (sent_at) where sent_at is not null;
create index outbox_position on outbox (txid, seq);
-- Rows come and go all day long; a fifth of a table of any size is too much to leave behind.
alter table outbox set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);

-- How far a consumer of this service has read a source: a stream, or the outbox of a service.
create table bus_cursors (
  consumer text not null,
  source text not null,
  -- Grows with each move: a reader that was overtaken finds another number and does nothing.
  version bigint not null default 0,
  -- Batches begun since the last move. More than one says that a process died in the middle.
  attempts integer not null default 0,
  -- Of an outbox: everything below `low` is done; from there to `high` everything up to `seq`.
  low xid8 not null default '0',
  high xid8 not null default '0',
  -- Of a stream: the last sequence that is done, of the stream that was created at `epoch`.
  seq bigint not null default 0,
  epoch text,
  touched_at timestamptz(3) not null default now(),
  primary key (consumer, source)
);

-- Events that a consumer has taken charge of; a second copy of one is dropped.
create table bus_seen (
  consumer text not null,
  event_id text collate "C" not null,
  seen_at timestamptz(3) not null default now(),
  primary key (consumer, event_id)
);
create index bus_seen_age on bus_seen (seen_at);

-- Events that failed and those of the same subject behind them, tried again while the others go on.
create table bus_parked (
  position bigint generated always as identity primary key,
  consumer text not null,
  event_id text collate "C" not null,
  source text not null,
  subject text not null,
  envelope text not null,
  tries integer not null default 0,
  -- Null for an event that waits behind an earlier one of its subject.
  next_try_at timestamptz(3),
  -- Handled in a transaction of its own: a process died while it was handled together with others.
  alone boolean not null default false,
  error text,
  unique (consumer, event_id)
);
create index bus_parked_due on bus_parked (consumer, next_try_at) where next_try_at is not null;
create index bus_parked_order on bus_parked (consumer, source, subject, position);

-- Events that a consumer gave up, for a person to look at.
create table dead_letters (
  consumer text not null,
  event_id text collate "C" not null,
  type text,
  subject text,
  envelope text not null,
  tries integer not null,
  error text not null,
  died_at timestamptz(3) not null default now(),
  primary key (consumer, event_id)
);

create view published_events as
  select seq, txid, id, type, subject, tenant_id, time, traceparent, data from outbox;
create view published_cursors as
  select consumer, source, low, touched_at from bus_cursors;

do $$
declare
  own text := current_schema();
  everyone text := 'marketplace_identity, marketplace_catalog, marketplace_sourcing, marketplace_organization, marketplace_webhooks';
begin
  execute format('grant select, insert, update, delete on outbox, bus_cursors, bus_seen, bus_parked, dead_letters to %I', 'marketplace_' || own);
  execute format('grant usage on schema %I to %s', own, everyone);
  execute format('grant select on published_events, published_cursors to %s', everyone);
end
$$;
