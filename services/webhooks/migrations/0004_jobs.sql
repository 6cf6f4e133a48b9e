-- Unfinished replays are worked off as jobs, which have their positions.
insert into webhooks.jobs (kind, id, tenant_id, progress, created_at, due_at)
select 'webhook-replay', r.endpoint_id, e.org_id, jsonb_build_object('time', r.position_time, 'id', r.position_id),
  r.created_at, r.next_step_at
from webhooks.replays r join webhooks.endpoints e on e.id = r.endpoint_id
where r.finished_at is null;
alter table webhooks.replays drop column position_time, drop column position_id, drop column next_step_at;
