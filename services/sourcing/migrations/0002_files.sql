-- An upload is OPEN until it is attached to a part (ATTACHED) or expires (DEAD). The row is kept for some time after
-- that, so that a second use is a conflict instead of an unknown id.
create table sourcing.uploads (
  -- The id is also the key of the object.
  id text collate "C" primary key,
  org_id text not null,
  user_id text not null,
  name text not null,
  public boolean not null,
  state text not null default 'OPEN' check (state in ('OPEN', 'ATTACHED', 'DEAD')),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create index uploads_open on sourcing.uploads (org_id, expires_at) where state = 'OPEN';
-- The cleanup reads expired uploads each minute, oldest first.
create index uploads_due on sourcing.uploads (expires_at) where state = 'OPEN';
create index uploads_age on sourcing.uploads (expires_at);

create table sourcing.files (
  id text collate "C" primary key,
  part_id text collate "C" not null references sourcing.parts (id) on delete cascade,
  -- The part's IP owner.
  org_id text not null,
  name text not null,
  file_group text not null check (file_group in ('preview', 'document', 'ip', 'partDevelopment', 'development')),
  state text not null check (state in ('PENDING', 'READY', 'FAILED')),
  -- Why the file is FAILED.
  reason text,
  public boolean not null,
  -- Set with READY.
  object_key text unique,
  size_bytes bigint,
  content_type text,
  sha256 text,
  -- The share of the organization's quota, from the moment at which the size is known.
  counted_bytes bigint not null default 0,
  created_at timestamptz(3) not null,
  check ((state = 'READY') = (object_key is not null)),
  check (state <> 'READY' or num_nulls(size_bytes, content_type, sha256) = 0),
  check ((state = 'FAILED') = (reason is not null))
);
create index files_of_part on sourcing.files (part_id, id desc);
-- Counts the pending files of an organization for their limit.
create index files_pending on sourcing.files (org_id) where state = 'PENDING';
create index files_previews on sourcing.files (part_id, id desc) where file_group = 'preview' and state = 'READY';

-- The stored bytes of each organization, maintained by a trigger so that every statement is counted.
create table sourcing.storage_usage (
  org_id text primary key,
  stored_bytes bigint not null
);

create function sourcing.count_stored_bytes() returns trigger
language plpgsql as $$
declare
  org text := coalesce(new.org_id, old.org_id);
  difference bigint := coalesce(new.counted_bytes, 0) - coalesce(old.counted_bytes, 0);
begin
  if difference <> 0 then
    insert into sourcing.storage_usage as u (org_id, stored_bytes) values (org, difference)
    on conflict (org_id) do update set stored_bytes = u.stored_bytes + difference;
  end if;
  return null;
end $$;

create trigger files_counted after insert or update of counted_bytes or delete on sourcing.files
  for each row execute function sourcing.count_stored_bytes();

-- Objects scheduled for deletion. A job inserts the key before it creates the object, and deletes the row in the
-- transaction that makes the object that of a file. After a crash between the two, the cleanup deletes the object.
create table sourcing.scheduled_deletions (
  object_key text collate "C" not null,
  due_at timestamptz(3) not null,
  -- The cleanup has started to delete the object: the deletion cannot be cancelled.
  started boolean not null default false,
  primary key (object_key, due_at)
);
create index scheduled_deletions_due on sourcing.scheduled_deletions (due_at);

-- Schedules the deletion of a removed file's object, also when its part is deleted. An upload URL could be used again
-- until it expires, so the key is due a second time after that.
create function sourcing.schedule_deletion() returns trigger
language plpgsql as $$
begin
  if old.object_key is not null then
    insert into sourcing.scheduled_deletions (object_key, due_at)
    select old.object_key, now()
    union select id, expires_at + interval '3 hours' from sourcing.uploads where id = old.object_key
    on conflict do nothing;
  end if;
  return null;
end $$;

create trigger files_schedule_deletion after delete on sourcing.files
  for each row execute function sourcing.schedule_deletion();

-- The job that makes a PENDING file READY or FAILED.
create table sourcing.file_jobs (
  file_id text collate "C" primary key references sourcing.files (id) on delete cascade,
  kind text not null check (kind in ('copy', 'import')),
  -- A job that copies has the object of the upload and the object's etag when the upload was added.
  source_key text,
  source_etag text,
  -- A job that imports has the URL, which is a secret.
  encrypted_url text,
  attempts integer not null default 0,
  next_attempt_at timestamptz(3) not null,
  deadline_at timestamptz(3) not null,
  lease_token text,
  check (kind <> 'copy' or num_nulls(source_key, source_etag) = 0),
  check (kind <> 'import' or encrypted_url is not null)
);
create index file_jobs_due on sourcing.file_jobs (next_attempt_at);
-- Claimed jobs, which count toward the limit of an organization.
create index file_jobs_leased on sourcing.file_jobs (next_attempt_at) where lease_token is not null;

-- The last claim of a job of each organization. The next job is that of the organization with the oldest one.
create table sourcing.file_job_claims (
  org_id text primary key,
  -- The time has microseconds, because claims within a millisecond must be ordered, too.
  claimed_at timestamptz not null
);

-- The progress of an import, kept after it ended.
create table sourcing.imports (
  file_id text collate "C" primary key references sourcing.files (id) on delete cascade,
  received_bytes bigint not null default 0,
  total_bytes bigint
);

grant select, insert, update, delete on sourcing.uploads, sourcing.files, sourcing.storage_usage,
  sourcing.scheduled_deletions, sourcing.file_jobs, sourcing.imports to marketplace_sourcing;
grant select, insert, update on sourcing.file_job_claims to marketplace_sourcing;
