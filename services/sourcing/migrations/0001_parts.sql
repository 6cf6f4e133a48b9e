create table sourcing.parts (
  id text collate "C" primary key,
  serial_number text collate "C" not null unique,
  ip_owner_org_id text not null,
  state text not null check (state in ('DRAFT', 'PUBLISHED', 'ARCHIVED')),
  title text,
  external_ref text,
  description text,
  require_subscription boolean not null,
  material_type text,
  material_id text,
  process_id text,
  -- Those of the process, as the catalog had them when the part was written or the catalog last changed.
  technology_ids text[] not null,
  material_note text,
  process_note text,
  standard_ids text[] not null,
  criticality_ids text[] not null,
  category_ids text[] not null,
  unspsc_category_ids text[] not null,
  keywords text[] not null,
  internal boolean not null,
  rapid_manufacturing_material text,
  exemptions_notes text,
  documentation_requirement_notes text,
  other_requirement_notes text,
  description_manufacturer text,
  unit_system text check (unit_system in ('METRIC', 'IMPERIAL')),
  business_unit_ids text[] not null,
  box_x double precision check (box_x >= 0),
  box_y double precision check (box_y >= 0),
  box_z double precision check (box_z >= 0),
  metadata jsonb not null,
  -- [{fieldId, optionId}]
  custom_fields jsonb not null,
  preview_file_id text,
  revision integer not null default 1,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  published_at timestamptz(3),
  -- What `q` looks into. The separator cannot be in either half, so no match crosses it.
  search text not null generated always as (coalesce(title, '') || E'\x1f' || coalesce(external_ref, '')) stored,
  -- The public JSON of the part, and the one that its IP owner sees: made on write, so that a list only joins texts.
  document text not null,
  owner_document text not null
);

create index parts_public on sourcing.parts (id desc) where state = 'PUBLISHED' and not internal;
create index parts_owned on sourcing.parts (ip_owner_org_id, id desc);
create index parts_search on sourcing.parts using gin (search gin_trgm_ops);
-- For the consumer that rewrites parts when a process changes its technologies.
create index parts_process on sourcing.parts (process_id) where process_id is not null;

-- Times as the API shows them; Postgres's own JSON would write +00:00 and cut trailing zeros.
create function sourcing.api_time(at timestamptz) returns text
language sql immutable strict parallel safe
return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- The one place in which a part becomes JSON. Null stands for "left out".
create function sourcing.part_json(p sourcing.parts, for_owner boolean) returns text
language sql stable
return json_strip_nulls(json_build_object(
  'id', p.id,
  'serialNumber', p.serial_number,
  'ipOwnerOrgId', p.ip_owner_org_id,
  'state', p.state,
  'title', p.title,
  'externalRef', p.external_ref,
  'description', p.description,
  'requireSubscription', p.require_subscription,
  'materialType', p.material_type,
  'materialId', p.material_id,
  'processId', p.process_id,
  'technologyIds', p.technology_ids,
  'materialNote', p.material_note,
  'processNote', p.process_note,
  'standardIds', p.standard_ids,
  'criticalityIds', p.criticality_ids,
  'categoryIds', p.category_ids,
  'unspscCategoryIds', p.unspsc_category_ids,
  'keywords', p.keywords,
  'internal', p.internal,
  'rapidManufacturingMaterial', p.rapid_manufacturing_material,
  'exemptionsNotes', p.exemptions_notes,
  'documentationRequirementNotes', p.documentation_requirement_notes,
  'otherRequirementNotes', p.other_requirement_notes,
  'descriptionManufacturer', p.description_manufacturer,
  'unitSystem', p.unit_system,
  'boundingBox', case when num_nonnulls(p.box_x, p.box_y, p.box_z) > 0
    then json_build_object('x', p.box_x, 'y', p.box_y, 'z', p.box_z) end,
  'metadata', p.metadata,
  'businessUnitIds', case when for_owner then p.business_unit_ids end,
  'customFields', case when for_owner then p.custom_fields end,
  'previewFileId', p.preview_file_id,
  'revision', p.revision,
  'createdTime', sourcing.api_time(p.created_at),
  'updatedTime', sourcing.api_time(p.updated_at),
  'publishedTime', sourcing.api_time(p.published_at)
))::text;

create function sourcing.write_part_documents() returns trigger
language plpgsql as $$
begin
  new.document := sourcing.part_json(new, false);
  new.owner_document := sourcing.part_json(new, true);
  return new;
end $$;

create trigger part_documents before insert or update on sourcing.parts
  for each row execute function sourcing.write_part_documents();

-- Which catalog entries records name: the catalog import asks before it drops one.
create view sourcing.catalog_references as
  select 'materials' as catalog, material_id as id from sourcing.parts where material_id is not null
  union select 'processes', process_id from sourcing.parts where process_id is not null
  union select 'standards', unnest(standard_ids) from sourcing.parts
  union select 'criticalities', unnest(criticality_ids) from sourcing.parts
  union select 'categories', unnest(category_ids) from sourcing.parts
  union select 'unspsc-categories', unnest(unspsc_category_ids) from sourcing.parts
  union select 'technologies', unnest(technology_ids) from sourcing.parts;

grant select, insert, update, delete on sourcing.parts to marketplace_sourcing;
