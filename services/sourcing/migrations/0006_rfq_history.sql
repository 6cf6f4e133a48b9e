-- Row triggers write the history of RFQs, as they do for parts. For all but the consumer an RFQ is created by its
-- publication.
create function sourcing.record_rfq_history() returns trigger
language plpgsql security definer set search_path = pg_catalog, sourcing, pg_temp as $$
declare
  kind text := case tg_op when 'INSERT' then 'CREATE' else tg_op end;
  ignored text[] := '{updatedTime}';
  changes text := sourcing.field_changes(
    case tg_op when 'INSERT' then '{}' else old.document end::json,
    case tg_op when 'DELETE' then '{}' else new.document end::json, ignored);
begin
  if changes is null then
    return null;
  elsif tg_op = 'DELETE' or new.published_at is null then
    perform sourcing.add_history(coalesce(new.id, old.id), kind, changes);
  elsif tg_op = 'UPDATE' and old.published_at is null then
    perform sourcing.add_history(new.id, kind, changes, 'CREATE', sourcing.field_changes('{}', new.document::json, ignored));
  else
    perform sourcing.add_history(new.id, kind, changes, kind, changes);
  end if;
  return null;
end $$;

revoke all on function sourcing.record_rfq_history() from public;

-- The elements of a JSON list that are among the texts; null for no list.
create function sourcing.own_elements(list json, own text[]) returns json
language sql immutable strict parallel safe
return (select coalesce(json_agg(element), '[]') from json_array_elements_text(list) element where element = any(own));

-- An entry as an invited manufacturer sees it: itself alone in `manufacturerIds`, and its own offers in
-- `awardedOfferIds`; both are in `own`. Null if the entry then has no change, because its time would show that a
-- competitor was invited.
create function sourcing.history_entry_for(entry text, own text[]) returns text
language sql immutable parallel safe
return (
  select concat('{"id":', to_json(entry::json ->> 'id'), ',"kind":', to_json(entry::json ->> 'kind'),
    ',"timestamp":', to_json(entry::json ->> 'timestamp'), ',"changes":[', string_agg(change, ',' order by place), ']}')
  from (
    select place,
      case when change ->> 'field' not in ('manufacturerIds', 'awardedOfferIds') then change::text
        else concat('{"field":', to_json(change ->> 'field'),
          ',"before":' || sourcing.own_elements(change -> 'before', own)::text,
          ',"after":' || sourcing.own_elements(change -> 'after', own)::text, '}') end as change
    from json_array_elements(entry::json -> 'changes') with ordinality c (change, place)
    where change ->> 'field' not in ('manufacturerIds', 'awardedOfferIds')
      or sourcing.own_elements(change -> 'before', own)::text
        is distinct from sourcing.own_elements(change -> 'after', own)::text
  ) visible
  having count(*) > 0
);

-- Capture starts here. The history of each existing RFQ begins with a BACKFILL entry.
select sourcing.add_history(id, 'BACKFILL', content, case when published_at is not null then 'BACKFILL' end, content)
from sourcing.rfqs
cross join lateral (select sourcing.field_changes('{}', document::json, '{updatedTime}') as content) captured
order by id;

create trigger rfq_history after insert or update or delete on sourcing.rfqs
  for each row execute function sourcing.record_rfq_history();
