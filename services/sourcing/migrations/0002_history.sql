-- What changed when in a part (later: an RFQ, an order), newest first, without whom. Row triggers write it, so no path
-- that changes a record can forget it; the service itself may only read.
create table sourcing.history (
  id text collate "C" not null,
  record_id text collate "C" not null,
  timestamp timestamptz(3) not null,
  -- The public JSON of the entry, made on write.
  document text not null,
  primary key (timestamp, id)
) partition by range (timestamp);

create index history_newest on sourcing.history (record_id, timestamp desc, id desc);
create table sourcing.history_default partition of sourcing.history default;
revoke all on sourcing.history, sourcing.history_default from public;
grant select on sourcing.history to marketplace_sourcing;
select ensure_month_partitions('history', 3);

create sequence sourcing.history_order;

-- The 5-bit digits of a ULID.
create function sourcing.crockford(number bigint, digits integer) returns text
language sql immutable strict parallel safe
return (
  select string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + ((number >> (5 * digit)) & 31)::integer, 1), ''
    order by digit desc)
  from generate_series(0, digits - 1) digit
);

-- Fields that differ between two documents, as a JSON array in the order of the fields; null when nothing does. Values are
-- the text of the documents themselves. A prefix (`files.file_01J….`) goes before each name.
create function sourcing.field_changes(before json, after json, left_out text[], prefix text default '') returns text
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
  where old is distinct from new and field <> all (left_out)
);

-- Adds one entry. The row of the record is locked by its change, so the clock of the server orders the entries of one
-- record, whenever their transactions began; the sequence orders those of one millisecond.
create function sourcing.add_history(record_id text, kind text, changes text) returns void
language plpgsql set search_path = pg_catalog, sourcing as $$
declare
  at timestamptz(3) := clock_timestamp();
  entry text := concat('history_', sourcing.crockford((extract(epoch from at) * 1000)::bigint, 10), '0000',
    sourcing.crockford(nextval('sourcing.history_order'), 12));
begin
  insert into sourcing.history (id, record_id, timestamp, document)
  values (entry, record_id, at, concat(
    '{"id":', to_json(entry), ',"kind":', to_json(kind), ',"timestamp":', to_json(sourcing.api_time(at)),
    ',"changes":', coalesce(changes, '[]'), '}'));
end $$;

-- Rights of the owner, for the service has none on the table. `technologyIds` is the catalog's until the process changes.
create function sourcing.record_part_history() returns trigger
language plpgsql security definer set search_path = pg_catalog, sourcing as $$
declare
  left_out text[] := array['revision', 'updatedTime'];
  changes text;
begin
  if tg_op = 'INSERT' then
    perform sourcing.add_history(new.id, 'CREATE', sourcing.field_changes('{}', new.owner_document::json, left_out));
  elsif tg_op = 'DELETE' then
    perform sourcing.add_history(old.id, 'DELETE', sourcing.field_changes(old.owner_document::json, '{}', left_out));
  elsif new.owner_document <> old.owner_document then
    if new.process_id is not distinct from old.process_id then
      left_out := left_out || array['technologyIds'];
    end if;
    changes := sourcing.field_changes(old.owner_document::json, new.owner_document::json, left_out);
    if changes is not null then
      perform sourcing.add_history(new.id, 'UPDATE', changes);
    end if;
  end if;
  return null;
end $$;

-- Capture starts here: what exists already begins with an entry of its own kind instead of a creation.
select sourcing.add_history(id, 'BACKFILL', sourcing.field_changes('{}', owner_document::json, '{revision,updatedTime}'))
from sourcing.parts order by id;

create trigger part_history after insert or update or delete on sourcing.parts
  for each row execute function sourcing.record_part_history();

revoke all on function sourcing.add_history(text, text, text), sourcing.record_part_history() from public;
