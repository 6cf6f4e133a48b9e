-- How far parts have been brought up to the technologies of their processes, while a catalog import asks for it; one row,
-- or none when there is nothing to do. What goes on for minutes is many short transactions, and a kill loses none of it.
create table sourcing.technology_refresh (
  only_one boolean primary key default true check (only_one),
  -- The last part that was looked at.
  after text not null
);

grant select, insert, update, delete on sourcing.technology_refresh to marketplace_sourcing;
