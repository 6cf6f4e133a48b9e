-- no transaction
-- The requests of a network within an hour are found by their time.
drop index concurrently if exists organization.registrations_of_address;
