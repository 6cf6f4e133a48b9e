-- Searches of one and two letters, of which pg_trgm makes no trigram. With a letter between its letters a text has one for
-- each of its pairs: of `pump` that is `xpxuxmxpx`, in which `%uxm%` is found.
create function sourcing.spaced(value text) returns text
language sql immutable strict parallel safe
return 'x' || array_to_string(string_to_array(lower(value), null), 'x') || 'x';

create index parts_pairs on sourcing.parts using gin (sourcing.spaced(search) gin_trgm_ops);
-- Trigrams are of ASCII letters and digits alone; whatever else is written is found letter by letter.
create index parts_letters on sourcing.parts using gin (string_to_array(lower(search), null));
