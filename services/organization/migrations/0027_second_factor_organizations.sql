-- Organizations whose people need a second factor. A session that began with a password alone ends there, also for people
-- who must use an identity provider; they are not in second_factor_users, which the previous release reads.
create view organization.second_factor_organizations as
select id as org_id from organization.organizations where second_factor;

grant select on organization.second_factor_organizations to marketplace_identity;
