-- What was measured and pictured of the object of a READY file. Copies of a document share the object.
create table sourcing.renderings (
  object_key text collate "C" primary key,
  state text not null check (state in ('READY', 'FAILED')),
  reason text,
  -- The measures of a model, as the API shows them.
  geometry json,
  finished_at timestamptz(3) not null,
  check ((state = 'FAILED') = (reason is not null)),
  check (geometry is null or state = 'READY')
);

create table sourcing.previews (
  -- The key of the object with the bytes.
  id text collate "C" primary key,
  object_key text collate "C" not null references sourcing.renderings (object_key) on delete cascade,
  kind text not null check (kind in ('MODEL', 'IMAGE', 'PAGE')),
  page smallint,
  content_type text not null check (content_type in ('image/png', 'model/gltf-binary')),
  width integer,
  height integer,
  check ((kind = 'PAGE') = (page is not null))
);
create index previews_of_object on sourcing.previews (object_key);

grant select, insert, delete on sourcing.renderings, sourcing.previews to marketplace_sourcing;

create function sourcing.schedule_deletion_of_preview() returns trigger
language plpgsql as $$
begin
  insert into sourcing.scheduled_deletions (object_key, due_at) values (old.id, now()) on conflict do nothing;
  return null;
end $$;
create trigger previews_schedule_deletion after delete on sourcing.previews
  for each row execute function sourcing.schedule_deletion_of_preview();

-- A file that becomes READY is measured and pictured by a job. Copies have the rendering of the first file.
create function sourcing.render_file() returns trigger
language plpgsql as $$
begin
  insert into sourcing.jobs (kind, id, tenant_id, created_at, due_at)
  values ('file-preview', new.object_key, new.org_id, now(), now()) on conflict do nothing;
  return null;
end $$;
create trigger files_rendered_on_insert after insert on sourcing.files
  for each row when (new.state = 'READY' and new.copy_of is null) execute function sourcing.render_file();
create trigger files_rendered_on_update after update of state on sourcing.files
  for each row when (new.state = 'READY' and old.state <> 'READY' and new.copy_of is null)
  execute function sourcing.render_file();

insert into sourcing.jobs (kind, id, tenant_id, created_at, due_at)
select 'file-preview', object_key, org_id, now(), now() from sourcing.files where state = 'READY' and copy_of is null;

-- The object of the last file is deleted with what was made of it.
create or replace function sourcing.schedule_deletion() returns trigger
language plpgsql as $$
declare
  original text := coalesce(old.copy_of, old.id);
begin
  with ended as (
    delete from sourcing.jobs where kind in ('file-copy', 'file-import') and id = old.id
    returning data ->> 'sourceKey' as source_key
  )
  insert into sourcing.scheduled_deletions (object_key, due_at)
  select source_key, now() from ended where source_key is not null
  union select id, expires_at + interval '3 hours' from sourcing.uploads join ended on id = source_key
  on conflict do nothing;
  if old.object_key is not null and not exists (select from sourcing.files where id = original or copy_of = original) then
    insert into sourcing.scheduled_deletions (object_key, due_at)
    select old.object_key, now()
    union select id, expires_at + interval '3 hours' from sourcing.uploads where id = old.object_key
    on conflict do nothing;
    delete from sourcing.jobs where kind = 'file-preview' and id = old.object_key;
    delete from sourcing.renderings where object_key = old.object_key;
  end if;
  return null;
end $$;

-- What is known of the models among some files, for each level of readers: `open` for all who read the part, `ip` for
-- those who also read the group `ip`, `own` for the IP owner. The picture is that of the newest file of group `preview`,
-- else of the newest model, whose file is `model`. Null without any.
create function sourcing.measured_of(listed text[]) returns jsonb
language sql stable
return (
  with rendered as (
    select file.id, file.file_group, file.state, rendering.geometry, (
      select preview.id from sourcing.previews preview
      where preview.object_key = file.object_key and preview.kind = 'IMAGE' limit 1) as picture
    from sourcing.files file
    join sourcing.renderings rendering on rendering.object_key = file.object_key
    where file.id = any(listed) and rendering.state = 'READY'
  )
  select jsonb_object_agg(level, seen) from (
    values ('open', '{preview,document}'::text[]), ('ip', '{preview,document,ip}'),
      ('own', '{preview,document,ip,partDevelopment,development}')) levels (level, groups)
  left join lateral (
    select id, geometry, picture from rendered
    where geometry is not null and file_group = any(groups) order by id desc limit 1) model on true
  left join lateral (
    select picture from rendered where file_group = 'preview' and picture is not null
    order by id desc limit 1) preview on true
  cross join lateral jsonb_strip_nulls(jsonb_build_object(
    'picture', coalesce(preview.picture, model.picture), 'model', model.id,
    'boundingBox', model.geometry -> 'boundingBox')) seen
  where seen <> '{}');

alter table sourcing.parts add column measured jsonb;
alter table sourcing.part_revisions add column measured jsonb;

create function sourcing.measure_revision() returns trigger
language plpgsql as $$
begin
  new.measured := sourcing.measured_of(new.file_ids);
  return new;
end $$;
create trigger part_revisions_measured before insert on sourcing.part_revisions
  for each row execute function sourcing.measure_revision();

-- The caller has locked the part.
create function sourcing.measure_part(wanted text) returns void
language sql as $$
  update sourcing.parts set measured = sourcing.measured_of(array(
    select id from sourcing.files where part_id = wanted and removed_at is null))
  where id = wanted
$$;

-- The removal of a file that was measured or pictured. Its trigger runs before the one that deletes the rendering.
create function sourcing.measure_part_of_file() returns trigger
language plpgsql as $$
begin
  if exists (select from sourcing.renderings where object_key = old.object_key) then
    perform sourcing.measure_part(old.part_id);
  end if;
  return null;
end $$;
create trigger files_measured_on_delete after delete on sourcing.files
  for each row when (old.part_id is not null and old.state = 'READY' and old.removed_at is null)
  execute function sourcing.measure_part_of_file();
create trigger files_measured_on_removal after update of removed_at on sourcing.files
  for each row when (old.part_id is not null and old.state = 'READY' and old.removed_at is null and new.removed_at is not null)
  execute function sourcing.measure_part_of_file();
