-- The next turn is read from an index, whatever the number of tenants. Before this time no job of the tenant can be
-- claimed; a tenant whose job was claimed is behind those that have waited longer.
alter table job_turns add column turn_at timestamptz not null default 'infinity';
create index job_turns_next on job_turns (kind, turn_at);
-- Each claim updates a row.
alter table job_turns set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);

drop trigger jobs_turn on jobs;
drop function add_job_turn();
do $migration$ begin
  execute format($create$
    create function %1$I.set_job_turn() returns trigger language plpgsql as $body$
    declare
      job %1$I.jobs := coalesce(new, old);
      turn_lock bigint := hashtextextended(concat_ws(':', 'marketplace', %1$L, 'turn', job.kind, job.tenant_id), 0);
      next_at timestamptz;
    begin
      -- Each statement sees what was committed before it. Transactions that start jobs share the lock, because a turn
      -- that is early enough stays as it is, and one that moves forward is never too late.
      if tg_op = 'INSERT' or (tg_op = 'UPDATE' and new.due_at <= old.due_at) then
        perform pg_advisory_xact_lock_shared(turn_lock);
        perform from %1$I.job_turns
        where kind = job.kind and tenant_id = job.tenant_id and turn_at <= greatest(claimed_at, job.due_at);
        if not found then
          insert into %1$I.job_turns as turn (kind, tenant_id, turn_at) values (job.kind, job.tenant_id, job.due_at)
          on conflict (kind, tenant_id) do update set turn_at = greatest(turn.claimed_at, excluded.turn_at)
            where turn.turn_at > greatest(turn.claimed_at, excluded.turn_at);
        end if;
        return null;
      end if;
      -- One that moves back needs the jobs of all others. The lock is fair, other than that of a row.
      perform pg_advisory_xact_lock(turn_lock);
      next_at := coalesce(least(
        (select due_at from %1$I.jobs where kind = job.kind and tenant_id = job.tenant_id and lease_token is null
          order by due_at limit 1),
        (select min(lease_until) from %1$I.jobs
          where kind = job.kind and tenant_id = job.tenant_id and lease_token is not null)), 'infinity');
      update %1$I.job_turns set turn_at = greatest(claimed_at, next_at)
      where kind = job.kind and tenant_id = job.tenant_id and turn_at <> greatest(claimed_at, next_at);
      return null;
    end $body$
  $create$, current_schema());
end $migration$;
-- At the end of the transaction, so that the lock of a turn is short and comes after all other locks. A claim leaves the
-- turn at its own time, and an extended lease leaves it too early, which is harmless while a job runs.
create constraint trigger jobs_turn after insert or delete or update of due_at on jobs
  deferrable initially deferred for each row execute function set_job_turn();
-- A job without a turn would never run, so copied rows also get one.
alter table jobs enable always trigger jobs_turn;

-- The lock of the table is held, so that no transaction changes a job meanwhile.
update job_turns turn set turn_at = greatest(claimed_at, coalesce((
  select min(greatest(due_at, lease_until)) from jobs
  where jobs.kind = turn.kind and jobs.tenant_id = turn.tenant_id), 'infinity'));
