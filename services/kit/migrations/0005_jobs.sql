-- Work that a service does beside its requests. A worker leases a job for as long as it runs.
create table jobs (
  kind text collate "C" not null,
  -- The record that the job is about. It has one job of a kind.
  id text collate "C" not null,
  -- The organization whose jobs of the kind take turns with those of others; empty for work of the platform.
  tenant_id text collate "C" not null default '',
  -- What the job needs to know. It may contain encrypted secrets, which are deleted with the job.
  data jsonb not null default '{}',
  -- How far the job has come.
  progress jsonb not null default '{}',
  -- Attempts that were started since the last progress.
  attempts integer not null default 0,
  created_at timestamptz(3) not null,
  -- Infinity for a job that waits until it is woken.
  due_at timestamptz(3) not null,
  -- No attempt starts after this.
  expires_at timestamptz(3),
  lease_token uuid,
  lease_until timestamptz(3),
  primary key (kind, id),
  check ((lease_token is null) = (lease_until is null))
)
-- Rows are short-lived and often updated.
with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05, fillfactor = 70);
create index jobs_due on jobs (kind, tenant_id, due_at);
-- Running jobs, which count toward the limit of their tenant.
create index jobs_leased on jobs (kind, tenant_id) where lease_token is not null;

-- The last claim of each tenant. The next job is one of the tenant whose last claim is the oldest.
create table job_turns (
  kind text collate "C" not null,
  tenant_id text collate "C" not null,
  -- The time has microseconds, because claims within a millisecond also have an order.
  claimed_at timestamptz not null default '-infinity',
  primary key (kind, tenant_id)
);

do $migration$ begin
  execute format($create$
    create function %1$I.add_job_turn() returns trigger language plpgsql as $body$ begin
      insert into %1$I.job_turns (kind, tenant_id) values (new.kind, new.tenant_id) on conflict do nothing;
      return null;
    end $body$
  $create$, current_schema());
end $migration$;
create trigger jobs_turn after insert on jobs for each row execute function add_job_turn();
-- A job without a turn would never run, so copied rows also get one.
alter table jobs enable always trigger jobs_turn;

do $$ begin
  execute format('grant select, insert, update, delete on jobs to %I', 'marketplace_' || current_schema());
  execute format('grant select, insert, update on job_turns to %I', 'marketplace_' || current_schema());
end $$;

-- Retries of events are jobs, one for each subject of a consumer. An event keeps its place in the order of its subject.
insert into jobs (kind, id, data, attempts, created_at, due_at)
select distinct on (consumer, source, subject) 'event-retry:' || consumer, source || E'\n' || subject,
  jsonb_build_object('source', source, 'subject', subject), tries - interruptions, now(), coalesce(next_try_at, now())
from retry_events order by consumer, source, subject, position;
alter table retry_events
  drop column tries, drop column interruptions, drop column next_try_at, drop column isolated, drop column error;
