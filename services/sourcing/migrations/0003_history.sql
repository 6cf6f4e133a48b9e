-- The changes of parts, RFQs and orders without the actor. Row triggers write the entries, so every statement that
-- changes a record adds one. The service may only read the table.
create table sourcing.history (
  id text collate "C" not null,
  record_id text collate "C" not null,
  timestamp timestamptz(3) not null,
  -- The public JSON of the entry, made on write.
  document text not null,
  -- The JSON of an RFQ's entry for its IP owner and invited manufacturers. Their history begins with the published
  -- content, so earlier entries have none.
  party_document text,
  primary key (timestamp, id)
) partition by range (timestamp);

create index history_newest on sourcing.history (record_id, timestamp desc, id desc);
create index history_parties on sourcing.history (record_id, timestamp desc, id desc) where party_document is not null;
create table sourcing.history_default partition of sourcing.history default;
revoke all on sourcing.history, sourcing.history_default from public;
grant select on sourcing.history to marketplace_sourcing;
select ensure_month_partitions('history', 3);

-- A number in the 5-bit digits of a ULID.
create function sourcing.crockford_base32(number bigint, digits integer) returns text
language sql immutable strict parallel safe
return (
  select string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + ((number >> (5 * digit)) & 31)::integer, 1), ''
    order by digit desc)
  from generate_series(0, digits - 1) digit
);

-- The fields that differ between two documents, as a JSON array in their order; null where all are equal. The values
-- are texts of the documents. Each name begins with the prefix (`files.file_01J….`).
create function sourcing.field_changes(before json, after json, ignored text[], prefix text default '') returns text
language sql immutable parallel safe
return (
  select '[' || string_agg(
    concat('{"field":', to_json(prefix || field), ',"before":' || old, ',"after":' || new, '}'), ',' order by place) || ']'
  from (
    select coalesce(b.key, a.key) as field, b.value::text as old, a.value::text as new,
      coalesce(a.place, b.place) as place
    from json_each(before) with ordinality b (key, value, place)
    full join json_each(after) with ordinality a (key, value, place) on a.key = b.key
  ) both_sides
  where old is distinct from new and field <> all (ignored)
);

create function sourcing.history_entry(entry text, kind text, at timestamptz, changes text) returns text
language sql immutable parallel safe
return concat(
  '{"id":', to_json(entry), ',"kind":', to_json(kind), ',"timestamp":', to_json(sourcing.api_time(at)),
  ',"changes":', coalesce(changes, '[]'), '}');

-- Adds an entry, and its JSON for parties if `party_kind` is given. Its id is a ULID: the millisecond, the number of
-- the entry among those of its record in this millisecond, and 60 random bits. The change of a record locks its row, so
-- the entries of one record are added one after another and the server's clock orders them.
create function sourcing.add_history(
  record_id text, kind text, changes text, party_kind text default null, party_changes text default null
) returns void
language plpgsql set search_path = pg_catalog, sourcing, pg_temp as $$
declare
  at timestamptz(3) := clock_timestamp();
  digits text := replace(gen_random_uuid()::text, '-', '');
  earlier bigint := 0;
  entry text;
begin
  if kind <> 'CREATE' then
    select count(*) into earlier from sourcing.history h where h.record_id = add_history.record_id and h.timestamp = at;
  end if;
  -- Digits 13 and 17 of a UUID are its version and variant, which are not random.
  entry := concat('history_', sourcing.crockford_base32((extract(epoch from at) * 1000)::bigint, 10),
    sourcing.crockford_base32(earlier, 4),
    sourcing.crockford_base32(('x' || left(digits, 12) || right(digits, 3))::bit(60)::bigint, 12));
  insert into sourcing.history (id, record_id, timestamp, document, party_document)
  values (entry, record_id, at, sourcing.history_entry(entry, kind, at, changes),
    case when party_kind is not null then sourcing.history_entry(entry, party_kind, at, party_changes) end);
end $$;

-- Runs with the rights of the owner, because the service may not insert history. A change of `technologyIds` is
-- recorded only with a change of the process: otherwise the catalog changed them.
create function sourcing.record_part_history() returns trigger
language plpgsql security definer set search_path = pg_catalog, sourcing, pg_temp as $$
declare
  ignored text[] := array['revision', 'updatedTime'];
  changes text;
begin
  if tg_op = 'INSERT' then
    perform sourcing.add_history(new.id, 'CREATE', sourcing.field_changes('{}', new.owner_document::json, ignored));
  elsif tg_op = 'DELETE' then
    perform sourcing.add_history(old.id, 'DELETE', sourcing.field_changes(old.owner_document::json, '{}', ignored));
  elsif new.owner_document <> old.owner_document then
    if new.process_id is not distinct from old.process_id then
      ignored := ignored || array['technologyIds'];
    end if;
    changes := sourcing.field_changes(old.owner_document::json, new.owner_document::json, ignored);
    if changes is not null then
      perform sourcing.add_history(new.id, 'UPDATE', changes);
    end if;
  end if;
  return null;
end $$;

-- The fields of a file that the history of its part shows.
create function sourcing.file_fields(file sourcing.files) returns json
language sql immutable parallel safe
return json_strip_nulls(json_build_object(
  'name', file.name, 'group', file.file_group, 'state', file.state, 'reason', file.reason));

-- The fields of a file count as fields of its part. The deletion of a part also deletes its files and is one entry.
create function sourcing.record_file_history() returns trigger
language plpgsql security definer set search_path = pg_catalog, sourcing, pg_temp as $$
declare
  file_id text := coalesce(new.id, old.id);
  part text := coalesce(new.part_id, old.part_id);
  changes text := sourcing.field_changes(
    case tg_op when 'INSERT' then '{}' else sourcing.file_fields(old) end,
    case tg_op when 'DELETE' then '{}' else sourcing.file_fields(new) end,
    '{}', 'files.' || file_id || '.');
begin
  if changes is not null and exists (select from sourcing.parts where id = part) then
    perform sourcing.add_history(part, 'UPDATE', changes);
  end if;
  return null;
end $$;

revoke all on function
  sourcing.add_history(text, text, text, text, text), sourcing.record_part_history(), sourcing.record_file_history()
  from public;

-- The history of each existing part and file begins with a BACKFILL entry.
select sourcing.add_history(id, 'BACKFILL', sourcing.field_changes('{}', owner_document::json, '{revision,updatedTime}'))
from sourcing.parts order by id;
select sourcing.add_history(part_id, 'BACKFILL',
  sourcing.field_changes('{}', sourcing.file_fields(f), '{}', 'files.' || id || '.'))
from sourcing.files f order by id;

create trigger part_history after insert or update or delete on sourcing.parts
  for each row execute function sourcing.record_part_history();
create trigger file_history after insert or update or delete on sourcing.files
  for each row execute function sourcing.record_file_history();
