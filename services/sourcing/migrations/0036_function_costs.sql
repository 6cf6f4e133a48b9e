-- Postgres expands a function of SQL in the calling expression only if it is declared at most as stable as its body, and
-- not `strict` unless its body is. Otherwise each call starts an executor, which takes longer than the body. The time
-- and JSON functions of Postgres are stable.
alter function sourcing.api_time(timestamptz) stable;
alter function sourcing.fields_of(json) stable called on null input;
alter function sourcing.part_document(sourcing.parts) stable;
alter function sourcing.history_entry(text, text, timestamptz, text) stable;
alter function sourcing.api_amount(numeric) called on null input;

create or replace function sourcing.money_json(amount numeric, currency text) returns text
language sql stable parallel safe
return case when amount is not null
  then concat('{"amount":"', sourcing.api_amount(amount), '","currency":', to_json(currency), '}') end;
