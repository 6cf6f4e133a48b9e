-- When a job of an organization was last claimed: the next job is that of the organization whose claim is the oldest.
create table sourcing.file_turns (
  org_id text primary key,
  began_at timestamptz(3) not null
);

grant select, insert, update on sourcing.file_turns to marketplace_sourcing;
