-- The order of the lines of a package. The ids of its RFQs have none, so that a manufacturer cannot tell from those of
-- its own lines whether there are others between them.
alter table sourcing.rfqs add column package_place smallint;
update sourcing.rfqs line set package_place = ordered.place
from (
  select id, row_number() over (partition by package_id order by id) - 1 as place
  from sourcing.rfqs where package_id is not null
) ordered
where line.id = ordered.id;
alter table sourcing.rfqs add check ((package_id is null) = (package_place is null));
