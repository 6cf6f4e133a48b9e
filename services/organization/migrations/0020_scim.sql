-- The id of a user or a role at the identity provider that manages it by SCIM.
alter table organization.users add column external_id text collate "C";
create unique index users_external_id on organization.users (org_id, external_id) where external_id is not null;
alter table organization.roles add column external_id text collate "C";
create unique index roles_external_id on organization.roles (org_id, external_id) where external_id is not null;
