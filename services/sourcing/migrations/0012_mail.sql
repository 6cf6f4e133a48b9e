-- What the mails of the service of organizations tell of an RFQ: each organization that reads it, with the title of the
-- part as that organization could last read it. It has no price.
create view sourcing.rfq_readers as
select id as rfq_id, consumer_org_id as org_id, 'CONSUMER' as role, serial_number, part_title as title, expires_at
from sourcing.rfqs where published_at is not null
union all
select id, ip_owner_org_id, 'IP_OWNER', serial_number, owner_part_title, expires_at
from sourcing.rfqs where published_at is not null
union all
select r.id, i.org_id, 'MANUFACTURER', r.serial_number, i.part_title, r.expires_at
from sourcing.rfq_invitations i join sourcing.rfqs r on r.id = i.rfq_id;

grant select on sourcing.rfq_readers to marketplace_organization;
