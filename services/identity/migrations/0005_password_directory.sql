-- Which version of its credentials each user has a password for. Users without one have not opened their link yet.
create view identity.password_directory as
select user_id, password_version from identity.credentials;

grant select on identity.password_directory to marketplace_organization;
