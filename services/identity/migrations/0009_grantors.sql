-- The grantor of each impersonation grant, and the version of the links of the grantor then. Every service compares them with
-- the current ones in a request of an impersonation.
create view identity.grantor_directory as
select id as grant_id, org_id, granted_by, grantor_password_version as link_version
from identity.impersonation_grants where granted_by is not null;

grant select on identity.grantor_directory to
  marketplace_identity, marketplace_catalog, marketplace_sourcing, marketplace_organization, marketplace_webhooks;
