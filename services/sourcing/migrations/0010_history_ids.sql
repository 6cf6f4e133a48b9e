-- Ids of entries told by a sequence how much is changed on the whole platform. Now they are ULIDs: the millisecond, which
-- entry of its record it is in this millisecond (the record's row is locked by its change, so none comes in between), and
-- sixty random bits. Entries that exist keep the ids that readers know.
create or replace function sourcing.add_history(record_id text, kind text, changes text) returns void
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
  -- Between them stand the digits of a UUID that are always the same.
  entry := concat('history_', sourcing.crockford((extract(epoch from at) * 1000)::bigint, 10),
    sourcing.crockford(earlier, 4), sourcing.crockford(('x' || left(digits, 12) || right(digits, 3))::bit(60)::bigint, 12));
  insert into sourcing.history (id, record_id, timestamp, document)
  values (entry, record_id, at, concat(
    '{"id":', to_json(entry), ',"kind":', to_json(kind), ',"timestamp":', to_json(sourcing.api_time(at)),
    ',"changes":', coalesce(changes, '[]'), '}'));
end $$;

drop sequence sourcing.history_order;
