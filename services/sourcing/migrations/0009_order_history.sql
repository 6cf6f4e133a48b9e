-- Row triggers write the history of orders, as they do for parts and RFQs.
create function sourcing.record_order_history() returns trigger
language plpgsql security definer set search_path = pg_catalog, sourcing, pg_temp as $$
declare
  changes text := sourcing.field_changes(
    case tg_op when 'INSERT' then '{}' else old.document end::json, new.document::json, '{updatedTime}');
begin
  if changes is not null then
    perform sourcing.add_history(new.id, case tg_op when 'INSERT' then 'CREATE' else tg_op end, changes);
  end if;
  return null;
end $$;

revoke all on function sourcing.record_order_history() from public;

-- Capture starts here. The history of each existing order begins with a BACKFILL entry.
select sourcing.add_history(id, 'BACKFILL', sourcing.field_changes('{}', document::json, '{updatedTime}'))
from sourcing.orders order by id;

create trigger order_history after insert or update on sourcing.orders
  for each row execute function sourcing.record_order_history();
