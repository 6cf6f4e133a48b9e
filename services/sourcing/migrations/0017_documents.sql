-- Documents of RFQs, offers, orders and cases are files that belong to a record instead of a part.
alter table sourcing.files
  alter column part_id drop not null,
  alter column file_group drop not null,
  add column record_kind text check (record_kind in ('rfq', 'offer', 'order', 'case')),
  -- The column is no foreign key, because it names records of four tables.
  add column record_id text collate "C",
  add column document_kind text check (
    document_kind in (
      'QUOTE', 'PURCHASE_ORDER', 'ORDER_CONFIRMATION', 'CERTIFICATE_OF_CONFORMITY', 'MATERIAL_CERTIFICATE',
      'INSPECTION_REPORT', 'PACKING_LIST', 'INVOICE', 'PHOTO', 'DRAWING', 'OTHER')),
  -- The newer document. If it is removed, this one counts again.
  add column superseded_by text collate "C" references sourcing.files (id) on delete set null,
  -- A revision of an offer has copies of its documents, which share the object of the first one. They do not count
  -- toward the quota, and become READY or FAILED with it. A submitted offer keeps its documents, so the first one stays.
  add column copy_of text collate "C",
  add check (num_nulls(part_id, file_group) in (0, 2)),
  add check (num_nulls(record_kind, record_id, document_kind) in (0, 3)),
  add check (num_nonnulls(part_id, record_id) = 1),
  add check (record_id is null or not public),
  add check (copy_of is null or counted_bytes = 0),
  drop constraint files_object_key_key;
create unique index files_objects on sourcing.files (object_key) where copy_of is null;
create index files_of_record on sourcing.files (record_id, id desc) where record_id is not null;
create index files_copies on sourcing.files (copy_of) where copy_of is not null;
create index files_superseding on sourcing.files (superseded_by) where superseded_by is not null;

comment on column sourcing.files.org_id is 'The IP owner of the part, or the organization that added the document.';

-- Documents of a deleted draft are deleted with it.
create function sourcing.delete_documents() returns trigger
language plpgsql as $$
begin
  delete from sourcing.files where record_id = old.id;
  return null;
end $$;

create trigger rfq_documents after delete on sourcing.rfqs
  for each row execute function sourcing.delete_documents();

-- The removal of a PENDING file ends its job, which would have deleted the object of the upload. An object that another
-- file has is kept.
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
  end if;
  return null;
end $$;

create or replace function sourcing.file_fields(file sourcing.files) returns json
language sql immutable parallel safe
return json_strip_nulls(json_build_object(
  'name', file.name, 'group', file.file_group, 'kind', file.document_kind, 'state', file.state, 'reason', file.reason,
  'supersededBy', file.superseded_by));

-- The fields of a document count as fields of its RFQ or order. Offers and cases have no history. Before the publication
-- only the consumer sees the history of an RFQ.
create or replace function sourcing.record_file_history() returns trigger
language plpgsql security definer set search_path = pg_catalog, sourcing, pg_temp as $$
declare
  file_id text := coalesce(new.id, old.id);
  part text := coalesce(new.part_id, old.part_id);
  record text := coalesce(new.record_id, old.record_id);
  kind text := coalesce(new.record_kind, old.record_kind);
  changes text := sourcing.field_changes(
    case when tg_op = 'INSERT' or old.removed_at is not null then '{}' else sourcing.file_fields(old) end,
    case when tg_op = 'DELETE' or new.removed_at is not null then '{}' else sourcing.file_fields(new) end,
    '{}', 'files.' || file_id || '.');
begin
  if changes is null then
    return null;
  elsif kind = 'order' or exists (select from sourcing.parts where id = part) then
    perform sourcing.add_history(coalesce(part, record), 'UPDATE', changes);
  elsif kind = 'rfq' then
    perform sourcing.add_history(id, 'UPDATE', changes, case when published_at is not null then 'UPDATE' end, changes)
    from sourcing.rfqs where id = record;
  end if;
  return null;
end $$;

-- The publication of an RFQ creates it for all but the consumer, with its documents.
create or replace function sourcing.published_fields(rfq sourcing.rfqs) returns json
language sql stable parallel safe
return (left(rfq.document, -1) || coalesce((
  select string_agg(concat(',', to_json(concat('files.', file.id, '.', field)), ':', value), '' order by file.id, place)
  from sourcing.files file
  cross join json_each(sourcing.file_fields(file)) with ordinality fields (field, value, place)
  where file.record_id = rfq.id), '') || '}')::json;
