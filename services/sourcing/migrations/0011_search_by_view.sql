-- What is searched is what the view has: an index of all parts would make a search slower, and so tell, by what others
-- have in their drafts.
drop index sourcing.parts_search;
drop index sourcing.parts_pairs;
drop index sourcing.parts_letters;

create index parts_public_search on sourcing.parts using gin (search gin_trgm_ops)
  where state = 'PUBLISHED' and not internal;
create index parts_public_pairs on sourcing.parts using gin (sourcing.spaced(search) gin_trgm_ops)
  where state = 'PUBLISHED' and not internal;
create index parts_public_letters on sourcing.parts using gin (string_to_array(lower(search), null))
  where state = 'PUBLISHED' and not internal;

-- Of a text joined to nothing: or else a search of what is public could use these, and would look at what is not.
create index parts_owned_search on sourcing.parts using gin (ip_owner_org_id, (search || '') gin_trgm_ops);
create index parts_owned_pairs on sourcing.parts using gin (ip_owner_org_id, sourcing.spaced(search || '') gin_trgm_ops);
create index parts_owned_letters on sourcing.parts
  using gin (ip_owner_org_id, string_to_array(lower(search || ''), null));
