-- Finds the few users of a large organization whose address or name has a text in it. The organization stands in the index
-- as well, or a word that is common elsewhere would be looked through there too; and joined to nothing, so that statements
-- choose between this index and that of the list, of which Postgres knows no better than the average organization's size.
-- A search of a hundred thousand users for a name that few have takes 1 to 15 ms by it, and 70 ms without.
create index users_searched on organization.users
  using gin ((org_id || ''), email_key gin_trgm_ops, name_key gin_trgm_ops);
