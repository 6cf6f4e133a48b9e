-- The months of the audit log are made as those of every other table are.
create or replace function organization.ensure_audit_partitions(months_ahead integer) returns integer
language sql security definer set search_path = pg_catalog, pg_temp
as $$ select organization.ensure_month_partitions('audit_log', months_ahead) $$;
