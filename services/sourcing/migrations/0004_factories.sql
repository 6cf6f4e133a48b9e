create table sourcing.factories (
  id text collate "C" primary key,
  org_id text collate "C" not null,
  -- The name of the organization, which a consumer of its events refreshes.
  org_name text not null,
  -- Whether the organization has the role MANUFACTURER, refreshed with its name. Without it the factory counts as
  -- inactive.
  org_manufactures boolean not null,
  name text collate "C" not null,
  active boolean not null,
  internal boolean not null,
  region_code text collate "C" not null,
  locality text not null,
  postal_code text,
  lines text[] not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- Copied from the capabilities, so that a part is matched without reading them.
  material_codes text[] not null,
  technology_ids text[] not null,
  -- The texts that `q` and `locality` search: `like` is much cheaper than `ilike`.
  name_key text collate "C" not null generated always as (lower(name)) stored,
  org_name_key text collate "C" not null generated always as (lower(org_name)) stored,
  locality_key text collate "C" not null generated always as (lower(locality)) stored,
  -- The public JSON of the factory, built on write.
  document text not null,
  -- Releases copy the name.
  unique (id, name)
);

create table sourcing.factory_capabilities (
  factory_id text collate "C" not null references sourcing.factories (id) on delete cascade,
  ordinal integer not null,
  material_code text collate "C" not null,
  technology_id text collate "C" not null,
  -- The production process type of the technology in the catalog.
  process_type text collate "C" not null,
  standard_codes text[] not null,
  criticality_ids text[] not null,
  box_x double precision check (box_x >= 0),
  box_y double precision check (box_y >= 0),
  box_z double precision check (box_z >= 0),
  primary key (factory_id, ordinal)
);

-- A distributor releases factories to organizations that are engaged through it. The releases of an earlier distributor
-- have no effect.
create table sourcing.factory_releases (
  org_id text collate "C" not null,
  distributor_org_id text collate "C" not null,
  factory_id text collate "C" not null,
  -- Copied from the factory, so that an index has the releases in the order of the list.
  name text collate "C" not null,
  released_at timestamptz(3) not null,
  primary key (org_id, distributor_org_id, factory_id),
  foreign key (factory_id, name) references sourcing.factories (id, name) on update cascade on delete cascade
);

-- Factories of each view by name. The index of the consumers' view has the searched columns, so that a scan does not
-- read the factories themselves. Their longest values fit into a page of an index; lists of codes would not.
create index factories_owned on sourcing.factories (org_id, name, id);
create index factories_public on sourcing.factories (name, id)
  include (org_id, region_code, org_name_key, locality_key) where active and org_manufactures and not internal;
create index factory_releases_listed on sourcing.factory_releases (org_id, distributor_org_id, name, factory_id);
create index factory_releases_factory on sourcing.factory_releases (factory_id, distributor_org_id, org_id);

-- One index for each filter finds the few factories that match a rare value.
create index factories_searched on sourcing.factories using gin (name_key gin_trgm_ops, org_name_key gin_trgm_ops);
create index factories_locality on sourcing.factories (locality_key, id);
create index factories_region on sourcing.factories (region_code, id);
create index factories_matched on sourcing.factories using gin (material_codes, technology_ids);
create index factory_capabilities_material on sourcing.factory_capabilities (material_code, factory_id);
create index factory_capabilities_process on sourcing.factory_capabilities (process_type, factory_id);
create index factory_capabilities_standards on sourcing.factory_capabilities using gin (standard_codes);
create index factory_capabilities_criticalities on sourcing.factory_capabilities using gin (criticality_ids);

-- The only code that builds the JSON of a factory and copies its capabilities. concat() omits nulls, as the document
-- does.
create function sourcing.write_factory_document() returns trigger
language plpgsql as $$
begin
  select coalesce(array_agg(distinct material_code), '{}'), coalesce(array_agg(distinct technology_id), '{}')
  into new.material_codes, new.technology_ids
  from sourcing.factory_capabilities where factory_id = new.id;
  new.document := concat(
    '{"id":', to_json(new.id),
    ',"name":', to_json(new.name),
    ',"orgId":', to_json(new.org_id),
    ',"orgName":', to_json(new.org_name),
    ',"active":', to_json(new.active and new.org_manufactures),
    ',"internal":', to_json(new.internal),
    ',"address":{"regionCode":', to_json(new.region_code),
    ',"locality":', to_json(new.locality),
    ',"postalCode":' || to_json(new.postal_code)::text,
    ',"lines":', to_json(new.lines),
    '},"capabilities":[', (
      select string_agg(concat(
        '{"materialCode":', to_json(c.material_code),
        ',"technologyId":', to_json(c.technology_id),
        ',"standardCodes":', to_json(c.standard_codes),
        ',"criticalityIds":', to_json(c.criticality_ids),
        ',"processType":', to_json(c.process_type),
        ',"maxEnvelope":' || case when num_nonnulls(c.box_x, c.box_y, c.box_z) > 0 then
          json_strip_nulls(json_build_object('x', c.box_x, 'y', c.box_y, 'z', c.box_z))::text end,
        '}'), ',' order by c.ordinal)
      from sourcing.factory_capabilities c where c.factory_id = new.id),
    ']}');
  return new;
end $$;

create trigger factory_document before insert or update on sourcing.factories
  for each row execute function sourcing.write_factory_document();

-- A change of capabilities rebuilds the documents of their factories, once for each statement.
create function sourcing.rewrite_factory_documents() returns trigger
language plpgsql as $$
begin
  update sourcing.factories set document = '' where id in (select distinct factory_id from changed);
  return null;
end $$;

create trigger capabilities_inserted after insert on sourcing.factory_capabilities
  referencing new table as changed for each statement execute function sourcing.rewrite_factory_documents();
create trigger capabilities_updated after update on sourcing.factory_capabilities
  referencing new table as changed for each statement execute function sourcing.rewrite_factory_documents();
create trigger capabilities_deleted after delete on sourcing.factory_capabilities
  referencing old table as changed for each statement execute function sourcing.rewrite_factory_documents();

-- The catalog entries that records refer to. A catalog import queries them before it removes entries.
create view sourcing.catalog_references as
  select 'materials' as catalog, content ->> 'materialId' as id from sourcing.parts where content ->> 'materialId' is not null
  union select 'processes', process_id from sourcing.parts where process_id is not null
  union select 'standards', json_array_elements_text(content -> 'standardIds') from sourcing.parts
  union select 'criticalities', json_array_elements_text(content -> 'criticalityIds') from sourcing.parts
  union select 'categories', json_array_elements_text(content -> 'categoryIds') from sourcing.parts
  union select 'unspsc-categories', json_array_elements_text(content -> 'unspscCategoryIds') from sourcing.parts
  union select 'technologies', unnest(technology_ids) from sourcing.parts
  union select 'materials', material_code from sourcing.factory_capabilities
  union select 'technologies', technology_id from sourcing.factory_capabilities
  union select 'standards', unnest(standard_codes) from sourcing.factory_capabilities
  union select 'criticalities', unnest(criticality_ids) from sourcing.factory_capabilities;

grant select, insert, update on sourcing.factories to marketplace_sourcing;
grant select, insert, update, delete on sourcing.factory_capabilities to marketplace_sourcing;
grant select, insert, delete on sourcing.factory_releases to marketplace_sourcing;
