-- The user who created the record, for notifications; null for older records. No response, event or history has it.
alter table sourcing.rfqs add column created_by text collate "C";
alter table sourcing.offers add column created_by text collate "C";
alter table sourcing.cases add column created_by text collate "C";

-- The persons to whom the service of organizations sends the notifications about a record, with their organization.
create view sourcing.record_creators as
select id as record_id, consumer_org_id as org_id, created_by as user_id
from sourcing.rfqs where created_by is not null
union all
select rfq_id, manufacturer_org_id, created_by
from sourcing.offers where created_by is not null
union all
select o.id, o.consumer_org_id, r.created_by
from sourcing.orders o join sourcing.rfqs r on r.id = o.rfq_id where r.created_by is not null
union all
select o.id, o.manufacturer_org_id, f.created_by
from sourcing.orders o join sourcing.offers f on f.id = o.offer_id where f.created_by is not null
union all
select id, org_id, created_by
from sourcing.cases where created_by is not null;

grant select on sourcing.record_creators to marketplace_organization;
