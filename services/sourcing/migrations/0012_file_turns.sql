-- When work for an organization began last: whoever waits longest for a turn has the next one, however many jobs others have.
create table sourcing.file_turns (
  org_id text primary key,
  began_at timestamptz(3) not null
);

grant select, insert, update on sourcing.file_turns to marketplace_sourcing;
