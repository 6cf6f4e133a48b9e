-- Requests of strangers are limited for the network of a client: a client with IPv6 has every address of a /64. The
-- audit log names its address.
alter table organization.password_resets add column network text;
alter table organization.registrations add column network text;
update organization.registrations set network = ip_address;
