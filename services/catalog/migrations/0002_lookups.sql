-- Views of the current version of each catalog, for the service itself and for other services.

create view category_lookup as
  select c.id, c.name, c.code, c.description, c.parent_id,
    exists (select 1 from categories child where child.version = c.version and child.parent_id = c.id) as has_children
  from catalogs k
  join categories c on c.version = k.version
  where k.name = 'categories';

create view criticality_lookup as
  select c.id, c.code, c.name, c.governing_body, c.rank
  from catalogs k
  join criticalities c on c.version = k.version
  where k.name = 'criticalities';

create view material_lookup as
  select m.code, m.name, m.type, m.standard_codes
  from catalogs k
  join materials m on m.version = k.version
  where k.name = 'materials';

create view process_lookup as
  select p.code, p.name, p.material_type, p.technology_ids
  from catalogs k
  join processes p on p.version = k.version
  where k.name = 'processes';

create view standard_lookup as
  select s.code, s.title, s.governing_body, s.material_type, s.edition
  from catalogs k
  join standards s on s.version = k.version
  where k.name = 'standards';

create view technology_lookup as
  select t.id, t.code, t.label, t.acronyms, t.production_process_type, t.process_family
  from catalogs k
  join technologies t on t.version = k.version
  where k.name = 'technologies';

create view unspsc_lookup as
  select u.id, u.level, u.title as label,
    segment.id as segment_number, segment.title as segment_title,
    family.id as family_number, family.title as family_title,
    class.id as class_number, class.title as class_title,
    case when u.level = 4 then u.id end as commodity_number,
    case when u.level = 4 then u.title end as commodity_title
  from catalogs k
  join unspsc_categories u on u.version = k.version
  join unspsc_categories segment on segment.version = u.version and segment.id = left(u.id, 2) || '000000'
  left join unspsc_categories family
    on family.version = u.version and u.level >= 2 and family.id = left(u.id, 4) || '0000'
  left join unspsc_categories class
    on class.version = u.version and u.level >= 3 and class.id = left(u.id, 6) || '00'
  where k.name = 'unspsc-categories';

-- The UNSPSC rows that the service loads. It derives the levels above a row from the rows before it.
create view unspsc_titles as
  select u.id, u.title
  from catalogs k
  join unspsc_categories u on u.version = k.version
  where k.name = 'unspsc-categories';

grant select on unspsc_titles to marketplace_catalog;
grant select on
  category_lookup, criticality_lookup, material_lookup, process_lookup, standard_lookup, technology_lookup, unspsc_lookup
  to marketplace_catalog, marketplace_sourcing;

-- A transaction that stores ids of entries calls lock_entries_shared() first, and looks up the ids in a later
-- statement. No import can remove entries until the transaction ends, and later imports see the stored ids.
create function lock_entries_shared() returns void
  language sql volatile
  as $$ select pg_advisory_xact_lock_shared(5021377) $$;

-- An import locks out such transactions until it commits.
create function lock_entries_exclusive() returns void
  language sql volatile
  as $$ select pg_advisory_xact_lock(5021377) $$;

revoke execute on function lock_entries_shared() from public;
revoke execute on function lock_entries_exclusive() from public;
grant execute on function lock_entries_shared() to marketplace_sourcing;
