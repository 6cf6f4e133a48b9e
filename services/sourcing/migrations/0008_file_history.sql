-- What of a file its part's history tells.
create function sourcing.file_in_history(file sourcing.files) returns json
language sql immutable parallel safe
return json_strip_nulls(json_build_object(
  'name', file.name, 'group', file.file_group, 'state', file.state, 'reason', file.reason));

-- Files are fields of their part. A part that goes takes them along, and its history says so in one entry.
create function sourcing.record_file_history() returns trigger
language plpgsql security definer set search_path = pg_catalog, sourcing as $$
declare
  file_id text := coalesce(new.id, old.id);
  part text := coalesce(new.part_id, old.part_id);
  changes text := sourcing.field_changes(
    case tg_op when 'INSERT' then '{}' else sourcing.file_in_history(old) end,
    case tg_op when 'DELETE' then '{}' else sourcing.file_in_history(new) end,
    '{}', 'files.' || file_id || '.');
begin
  if changes is not null and exists (select from sourcing.parts where id = part) then
    perform sourcing.add_history(part, 'UPDATE', changes);
  end if;
  return null;
end $$;

select sourcing.add_history(part_id, 'BACKFILL',
  sourcing.field_changes('{}', sourcing.file_in_history(f), '{}', 'files.' || id || '.'))
from sourcing.files f order by id;

create trigger file_history after insert or update or delete on sourcing.files
  for each row execute function sourcing.record_file_history();

revoke all on function sourcing.record_file_history() from public;
