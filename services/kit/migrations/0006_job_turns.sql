-- The next turn is read from an index, whatever the number of tenants. Before this time no job of the tenant can be
-- claimed; a tenant whose job was claimed is behind those that have waited longer.
alter table job_turns add column turn_at timestamptz not null default 'infinity';
create index job_turns_next on job_turns (kind, turn_at);
-- Each claim updates a row.
alter table job_turns set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);

update job_turns turn set turn_at = greatest(claimed_at, coalesce((
  select min(greatest(due_at, lease_until)) from jobs
  where jobs.kind = turn.kind and jobs.tenant_id = turn.tenant_id), 'infinity'));

drop trigger jobs_turn on jobs;
drop function add_job_turn();
do $migration$ begin
  execute format($create$
    create function %1$I.set_job_turn() returns trigger language plpgsql as $body$
    declare
      job %1$I.jobs := coalesce(new, old);
      next_at timestamptz;
    begin
      insert into %1$I.job_turns (kind, tenant_id) values (job.kind, job.tenant_id) on conflict do nothing;
      -- The lock comes first, so that the next statement sees the jobs of concurrent transactions.
      perform from %1$I.job_turns where kind = job.kind and tenant_id = job.tenant_id for update;
      next_at := coalesce(least(
        (select due_at from %1$I.jobs where kind = job.kind and tenant_id = job.tenant_id and lease_token is null
          order by due_at limit 1),
        (select min(lease_until) from %1$I.jobs
          where kind = job.kind and tenant_id = job.tenant_id and lease_token is not null)), 'infinity');
      -- Each transaction writes a new version of the turn, which ends claims that read the one before.
      update %1$I.job_turns set turn_at = greatest(claimed_at, next_at)
      where kind = job.kind and tenant_id = job.tenant_id
        and (turn_at <> greatest(claimed_at, next_at) or xmin <> pg_current_xact_id()::xid);
      return null;
    end $body$
  $create$, current_schema());
end $migration$;
-- At the end of the transaction, so that the lock of a turn is short and comes after all other locks. A claim sets the
-- turn itself; an extended lease leaves it too early, which is harmless.
create constraint trigger jobs_turn after insert or delete or update of due_at on jobs
  deferrable initially deferred for each row execute function set_job_turn();
-- A job without a turn would never run, so copied rows also get one.
alter table jobs enable always trigger jobs_turn;
