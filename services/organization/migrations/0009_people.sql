-- The people of an organization in the order of their list, without its service accounts. It is built within a second
-- for a million users, so writes may wait for it.
create index users_people on organization.users (org_id, email_key, id) include (active, name_key)
  where kind = 'PERSON';
