-- Each entry of the history started an executor for each of three numbers in base 32, and counted the entries of its
-- millisecond in all partitions. A loop takes a tenth of an executor, and the microseconds need no count.
create or replace function sourcing.crockford_base32(number bigint, digits integer) returns text
language plpgsql immutable strict parallel safe as $$
declare
  encoded text := '';
begin
  for place in 0 .. digits - 1 loop
    encoded := substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + ((number >> (5 * place)) & 31)::integer, 1) || encoded;
  end loop;
  return encoded;
end $$;

-- Adds an entry, and its JSON for parties if `party_kind` is given. Its id is a ULID: the millisecond, its microseconds
-- and 48 random bits, whose decimal and hexadecimal digits are also digits of a ULID. The change of a record locks its
-- row, so the entries of one record are added one after another and the server's clock orders them.
create or replace function sourcing.add_history(
  record_id text, kind text, changes text, party_kind text default null, party_changes text default null
) returns void
language plpgsql set search_path = pg_catalog, sourcing, pg_temp as $$
declare
  moment timestamptz := clock_timestamp();
  at timestamptz(3) := date_trunc('milliseconds', moment);
  -- The first twelve digits of a UUID are random.
  entry text := concat('history_',
    sourcing.crockford_base32((extract(epoch from at) * 1000)::bigint, 10),
    lpad((extract(microseconds from moment)::integer % 1000)::text, 4, '0'),
    upper(left(replace(gen_random_uuid()::text, '-', ''), 12)));
begin
  insert into sourcing.history (id, record_id, timestamp, document, party_document)
  values (entry, record_id, at, sourcing.history_entry(entry, kind, at, changes),
    case when party_kind is not null then sourcing.history_entry(entry, party_kind, at, party_changes) end);
end $$;
