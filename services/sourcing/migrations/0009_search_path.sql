-- As for the kit's: temporary tables of the caller come last.
alter function sourcing.record_part_history() set search_path = pg_catalog, sourcing, pg_temp;
alter function sourcing.record_file_history() set search_path = pg_catalog, sourcing, pg_temp;
