-- The texts of each view side by side: a search looks through them without fetching the parts, which are large, and those
-- of one organization lie scattered among those of all others.
create index parts_public_texts on sourcing.parts (id desc) include (search) where state = 'PUBLISHED' and not internal;
create index parts_owned_texts on sourcing.parts (ip_owner_org_id, id desc) include (search);
