-- A schema of temporary tables is looked into first unless a search path names it last: whoever calls what runs with the
-- owner's rights must not be able to put a table of their own, and the code behind its types, in the way.
do $$ begin
  execute format('alter function %1$I.ensure_month_partitions(text, integer) set search_path = pg_catalog, %1$I, pg_temp',
    current_schema());
end $$;
