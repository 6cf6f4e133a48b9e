-- Where the last page that was read of a list began and where it ended, so that the next page is sought and not counted.
-- Unlogged: after a crash the next page is counted.
create unlogged table page_cursors (
  -- Hash of session, list, filters and page size.
  key text collate "C" primary key,
  page integer not null,
  -- Positions of the last row before the page and of its last row; null where unknown, and where nothing is before.
  began_after text,
  ended_at text,
  expires_at timestamptz(3) not null
);
create index page_cursors_expiry on page_cursors (expires_at);
alter table page_cursors set (autovacuum_vacuum_scale_factor = 0.02, fillfactor = 70);
do $grant$ begin
  execute format('grant select, insert, update, delete on page_cursors to %I', 'marketplace_' || current_schema());
end $grant$;
