-- The day for which an address got the last summary of the inbox of its organization.
alter table organization.mail_addresses add column inbox_mailed_on date;
create index mail_addresses_inbox on organization.mail_addresses (inbox_mailed_on nulls first)
  where confirmed_at is not null and topics @> '{INBOX}';
