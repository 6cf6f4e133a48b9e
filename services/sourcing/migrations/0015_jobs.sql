-- The jobs of files, and the updates of titles and technologies, move to the table of jobs.
insert into sourcing.jobs (kind, id, tenant_id, data, progress, attempts, created_at, due_at, expires_at)
select 'file-' || j.kind, j.file_id, f.org_id,
  case j.kind
    when 'copy' then jsonb_build_object('sourceKey', j.source_key, 'sourceEtag', j.source_etag)
    else jsonb_build_object('encryptedUrl', j.encrypted_url)
  end,
  '{}', j.attempts, f.created_at, j.next_attempt_at, j.deadline_at
from sourcing.file_jobs j join sourcing.files f on f.id = j.file_id;
drop table sourcing.file_jobs, sourcing.file_job_claims;

insert into sourcing.jobs (kind, id, progress, created_at, due_at)
select 'rfq-titles', part_id, jsonb_build_object('lastId', last_id), waits_since, waits_since from sourcing.title_refreshes
union all
select 'technologies', records, jsonb_build_object('lastId', last_id), now(), now() from sourcing.technology_refresh;
drop table sourcing.title_refreshes, sourcing.technology_refresh;

-- Imports are no longer ended because others wait.
update sourcing.files set reason = 'timed_out' where reason = 'too_slow';

-- A removed file also cancels its job.
create or replace function sourcing.schedule_deletion() returns trigger
language plpgsql as $$
begin
  delete from sourcing.jobs where kind in ('file-copy', 'file-import') and id = old.id;
  if old.object_key is not null then
    insert into sourcing.scheduled_deletions (object_key, due_at)
    select old.object_key, now()
    union select id, expires_at + interval '3 hours' from sourcing.uploads where id = old.object_key
    on conflict do nothing;
  end if;
  return null;
end $$;
