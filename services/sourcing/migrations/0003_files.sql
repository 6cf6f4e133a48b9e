-- Where a client may send bytes once: OPEN until a part takes them (ATTACHED) or their time is over (DEAD).
-- The row stays for a while after that, so that a second use is told from an id that never was.
create table sourcing.uploads (
  -- Also the key of the object that the bytes become.
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
create index uploads_age on sourcing.uploads (expires_at);

create table sourcing.files (
  id text collate "C" primary key,
  part_id text collate "C" not null references sourcing.parts (id) on delete cascade,
  -- The part's IP owner.
  org_id text not null,
  name text not null,
  file_group text not null check (file_group in ('preview', 'document', 'ip', 'partDevelopment', 'development')),
  state text not null check (state in ('PENDING', 'READY', 'FAILED')),
  -- Why it failed.
  reason text,
  public boolean not null,
  -- Where the bytes are, once they were read from end to end.
  object_key text unique,
  size_bytes bigint,
  content_type text,
  sha256 text,
  -- What it counts for in the organization's quota, from the moment at which its size is known.
  counted_bytes bigint not null default 0,
  created_at timestamptz(3) not null,
  check ((state = 'READY') = (object_key is not null)),
  check (state <> 'READY' or num_nulls(size_bytes, content_type, sha256) = 0),
  check ((state = 'FAILED') = (reason is not null))
);
create index files_of_part on sourcing.files (part_id, id desc);
create index files_previews on sourcing.files (part_id, id desc) where file_group = 'preview' and state = 'READY';

-- What each organization stores: kept by the database, so that no path forgets to count.
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

-- Objects that are to be deleted. A key is written here before its object is made, and taken off in the transaction that
-- makes the object a file's: whatever is killed between the two, the sweeper finds what nobody needs.
create table sourcing.doomed_objects (
  object_key text collate "C" not null,
  due_at timestamptz(3) not null,
  -- The sweeper has begun: nobody may take the key off any more.
  dying boolean not null default false,
  primary key (object_key, due_at)
);
create index doomed_objects_due on sourcing.doomed_objects (due_at);

-- A file that goes leaves its object to the sweeper, also where its part goes and takes it along. An address that was
-- given out for an upload might be used again until it expires, so its key is cleared a second time after that.
create function sourcing.doom_object() returns trigger
language plpgsql as $$
begin
  if old.object_key is not null then
    insert into sourcing.doomed_objects (object_key, due_at)
    select old.object_key, now()
    union select id, expires_at + interval '3 hours' from sourcing.uploads where id = old.object_key
    on conflict do nothing;
  end if;
  return null;
end $$;

create trigger files_doom after delete on sourcing.files
  for each row execute function sourcing.doom_object();

-- What a worker still has to do for a PENDING file, and until when.
create table sourcing.file_jobs (
  file_id text collate "C" primary key references sourcing.files (id) on delete cascade,
  kind text not null check (kind in ('copy', 'import')),
  -- Of a copy: which object, as it was when it was added.
  source_key text,
  source_etag text,
  -- Of an import: its address, which is a secret, encrypted.
  sealed_url text,
  attempts integer not null default 0,
  next_attempt_at timestamptz(3) not null,
  deadline_at timestamptz(3) not null,
  lease_token text,
  check (kind <> 'copy' or num_nulls(source_key, source_etag) = 0),
  check (kind <> 'import' or sealed_url is not null)
);
create index file_jobs_due on sourcing.file_jobs (next_attempt_at);

-- How far an import is, or was when it ended.
create table sourcing.imports (
  file_id text collate "C" primary key references sourcing.files (id) on delete cascade,
  received_bytes bigint not null default 0,
  total_bytes bigint
);

grant select, insert, update, delete on sourcing.uploads, sourcing.files, sourcing.storage_usage,
  sourcing.doomed_objects, sourcing.file_jobs, sourcing.imports to marketplace_sourcing;
