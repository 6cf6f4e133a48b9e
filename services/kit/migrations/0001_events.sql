-- Applied in the schema of each service, which is first on the search path.

-- Events of this service. A row is written in the transaction of its state change.
create table outbox (
  seq bigint generated always as identity primary key,
  -- Readers stop below the oldest running transaction, because a lower seq may commit later.
  txid xid8 not null default pg_current_xact_id(),
  id text collate "C" not null unique,
  type text not null,
  subject text not null,
  tenant_id text,
  time timestamptz(3) not null,
  traceparent text,
  -- JSON text, published byte for byte.
  data text not null,
  -- Time of the acknowledgement by the stream, or of the last cursor that passed the row.
  sent_at timestamptz(3)
)
-- Rows are short-lived, so the default of a fifth of the table would leave too many dead rows.
with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
create index outbox_unsent on outbox (seq) where sent_at is null;
create index outbox_sent on outbox (sent_at) where sent_at is not null;
create index outbox_position on outbox (txid, seq);

-- Positions of this service's consumers in their sources: streams, or outboxes of services.
create table bus_cursors (
  consumer text not null,
  source text not null,
  -- Incremented by each move, so that an outdated reader does nothing.
  version bigint not null default 0,
  -- Batches started since the last move. More than one means that a process crashed.
  attempts integer not null default 0,
  -- For an outbox: everything below `low` is done, and from `low` to `high` everything up to `seq`.
  low xid8 not null default '0',
  high xid8 not null default '0',
  -- For a stream: the last sequence that is done, of the stream created at `epoch`.
  seq bigint not null default 0,
  epoch text,
  touched_at timestamptz(3) not null default now(),
  primary key (consumer, source)
);

-- Events that a consumer has processed. Duplicates are dropped.
create table processed_events (
  consumer text not null,
  event_id text collate "C" not null,
  processed_at timestamptz(3) not null default now(),
  primary key (consumer, event_id)
);
create index processed_events_age on processed_events (processed_at);

-- Failed events and later ones of the same subject. They are retried while other subjects continue.
create table retry_events (
  position bigint generated always as identity primary key,
  consumer text not null,
  event_id text collate "C" not null,
  source text not null,
  subject text not null,
  envelope text not null,
  -- Attempts that were started.
  tries integer not null default 0,
  -- Those of them that a failure of a dependency ended, which say nothing about the event.
  interruptions integer not null default 0,
  -- Null for an event that waits behind an earlier one of its subject.
  next_try_at timestamptz(3),
  -- Handled in a transaction of its own, because a batch with this event crashed a process.
  isolated boolean not null default false,
  error text,
  unique (consumer, event_id)
);
create index retry_events_due on retry_events (consumer, next_try_at) where next_try_at is not null;
create index retry_events_order on retry_events (consumer, source, subject, position);

-- Events whose attempts are exhausted, for an operator to inspect.
create table dead_letters (
  consumer text not null,
  event_id text collate "C" not null,
  type text,
  subject text,
  envelope text not null,
  tries integer not null,
  error text not null,
  given_up_at timestamptz(3) not null default now(),
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
  execute format('grant select, insert, update, delete on outbox, bus_cursors, processed_events, retry_events, dead_letters to %I', 'marketplace_' || own);
  execute format('grant usage on schema %I to %s', own, everyone);
  execute format('grant select on published_events, published_cursors to %s', everyone);
end
$$;
