-- Where pages that somebody is reading one after the other begin, so that the next one is sought and not counted.
-- Unlogged: whatever a crash takes is counted instead.
create unlogged table page_anchors (
  -- Of session, list, filters and page size.
  key text collate "C" not null,
  page integer not null,
  -- The position of the last row of the page before.
  after text not null,
  expires_at timestamptz(3) not null,
  primary key (key, page)
);
create index page_anchors_expiry on page_anchors (expires_at);
alter table page_anchors set (autovacuum_vacuum_scale_factor = 0.02, fillfactor = 70);
do $grant$ begin
  execute format('grant select, insert, update, delete on page_anchors to %I', 'marketplace_' || current_schema());
end $grant$;
