-- Previews count toward the stored bytes of the organization of their file. Those of an earlier release count nothing.
alter table sourcing.previews
  add column org_id text collate "C",
  add column counted_bytes bigint not null default 0,
  add check (counted_bytes = 0 or org_id is not null) not valid;
alter table sourcing.previews validate constraint previews_check1;

create trigger previews_counted after insert or delete on sourcing.previews
  for each row execute function sourcing.count_stored_bytes();
