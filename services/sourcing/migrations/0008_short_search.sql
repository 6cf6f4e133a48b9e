-- Every text of one and two letters that a text has in it, for searches that are too short for trigrams.
create function sourcing.short_grams(value text) returns text[]
language sql immutable strict parallel safe
return (
  select array_agg(distinct gram)
  from (
    select letter, lead(letter) over (order by place) as next_letter
    from string_to_table(lower(value), null) with ordinality letters (letter, place)
  ) pairs, lateral (values (letter), (letter || next_letter)) grams (gram)
  where gram is not null
);

create index parts_short_search on sourcing.parts using gin (sourcing.short_grams(search));
