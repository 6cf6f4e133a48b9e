-- Positions where the last page that was read of a list began and ended. The next page continues there without
-- counting. The table is unlogged: after a crash the next page is counted.
create unlogged table page_cursors (
  -- Hash of session, list, filters and page size.
  key text collate "C" primary key,
  page integer not null,
  -- Position of the last row before the page; null on page 1 and where it is unknown.
  start_after text,
  -- Position of the last row of the page; null where it is unknown.
  end_position text,
  expires_at timestamptz(3) not null
)
-- Each page that is read updates a row, so blocks keep space for updates and are vacuumed early.
with (autovacuum_vacuum_scale_factor = 0.02, fillfactor = 70);
create index page_cursors_expiry on page_cursors (expires_at);

do $$ begin
  execute format('grant select, insert, update, delete on page_cursors to %I', 'marketplace_' || current_schema());
end $$;
