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
  -- The technologies of the process in the catalog.
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
  -- The text that `q` searches. Neither half contains the separator, so no match crosses it.
  search text not null generated always as (coalesce(title, '') || E'\x1f' || coalesce(external_ref, '')) stored,
  -- The public JSON of the part, and the JSON that its IP owner sees. Both are built on write, so that a list only joins
  -- texts.
  document text not null,
  owner_document text not null
);

-- Parts of the public view and of an owner's view, newest first.
create index parts_public on sourcing.parts (id desc) where state = 'PUBLISHED' and not internal;
create index parts_owned on sourcing.parts (ip_owner_org_id, id desc);
-- The texts of each view, so that a scan does not read the parts, which are large and scattered.
create index parts_public_texts on sourcing.parts (id desc) include (search) where state = 'PUBLISHED' and not internal;
create index parts_owned_texts on sourcing.parts (ip_owner_org_id, id desc) include (search);
-- For the worker that updates parts when a process has other technologies.
create index parts_process on sourcing.parts (process_id) where process_id is not null;
-- For organization, which checks before it deletes a label that no part uses it.
create index parts_business_units on sourcing.parts using gin (business_unit_ids) where business_unit_ids <> '{}';
create index parts_custom_fields on sourcing.parts using gin (custom_fields jsonb_path_ops) where custom_fields <> '[]';

-- A text with a trigram for each bigram of the value, because pg_trgm finds nothing for one or two letters. An x stands
-- between the letters: `pump` becomes `xpxuxmxpx`, which `%uxm%` matches.
create function sourcing.bigram_text(value text) returns text
language sql immutable strict parallel safe
return 'x' || array_to_string(string_to_array(lower(value), null), 'x') || 'x';

-- Each view has its own indexes. An index of all parts would make the time of a public search depend on the drafts of
-- other organizations. A trigram consists of ASCII letters and digits, so other characters have an index by character.
create index parts_public_search on sourcing.parts using gin (search gin_trgm_ops)
  where state = 'PUBLISHED' and not internal;
create index parts_public_bigrams on sourcing.parts using gin (sourcing.bigram_text(search) gin_trgm_ops)
  where state = 'PUBLISHED' and not internal;
create index parts_public_characters on sourcing.parts using gin (string_to_array(lower(search), null))
  where state = 'PUBLISHED' and not internal;

-- `search || ''` keeps the planner from using these indexes for a public search.
create index parts_owned_search on sourcing.parts using gin (ip_owner_org_id, (search || '') gin_trgm_ops);
create index parts_owned_bigrams on sourcing.parts
  using gin (ip_owner_org_id, sourcing.bigram_text(search || '') gin_trgm_ops);
create index parts_owned_characters on sourcing.parts
  using gin (ip_owner_org_id, string_to_array(lower(search || ''), null));

-- Times as the API shows them. The JSON functions of Postgres write +00:00 and omit trailing zeros.
create function sourcing.api_time(at timestamptz) returns text
language sql immutable strict parallel safe
return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- The only code that builds the JSON of a part. concat() omits nulls, as the document does. json_build_object with
-- json_strip_nulls has the same result but builds the text twice.
create function sourcing.write_part_documents() returns trigger
language plpgsql as $$
declare
  body text := concat(
    '{"id":', to_json(new.id),
    ',"serialNumber":', to_json(new.serial_number),
    ',"ipOwnerOrgId":', to_json(new.ip_owner_org_id),
    ',"state":', to_json(new.state),
    ',"title":' || to_json(new.title)::text,
    ',"externalRef":' || to_json(new.external_ref)::text,
    ',"description":' || to_json(new.description)::text,
    ',"requireSubscription":', to_json(new.require_subscription),
    ',"materialType":' || to_json(new.material_type)::text,
    ',"materialId":' || to_json(new.material_id)::text,
    ',"processId":' || to_json(new.process_id)::text,
    ',"technologyIds":', to_json(new.technology_ids),
    ',"materialNote":' || to_json(new.material_note)::text,
    ',"processNote":' || to_json(new.process_note)::text,
    ',"standardIds":', to_json(new.standard_ids),
    ',"criticalityIds":', to_json(new.criticality_ids),
    ',"categoryIds":', to_json(new.category_ids),
    ',"unspscCategoryIds":', to_json(new.unspsc_category_ids),
    ',"keywords":', to_json(new.keywords),
    ',"internal":', to_json(new.internal),
    ',"rapidManufacturingMaterial":' || to_json(new.rapid_manufacturing_material)::text,
    ',"exemptionsNotes":' || to_json(new.exemptions_notes)::text,
    ',"documentationRequirementNotes":' || to_json(new.documentation_requirement_notes)::text,
    ',"otherRequirementNotes":' || to_json(new.other_requirement_notes)::text,
    ',"descriptionManufacturer":' || to_json(new.description_manufacturer)::text,
    ',"unitSystem":' || to_json(new.unit_system)::text,
    ',"boundingBox":' || case when num_nonnulls(new.box_x, new.box_y, new.box_z) > 0 then
      json_strip_nulls(json_build_object('x', new.box_x, 'y', new.box_y, 'z', new.box_z))::text end,
    ',"metadata":', new.metadata,
    ',"previewFileId":' || to_json(new.preview_file_id)::text,
    ',"revision":', new.revision,
    ',"createdTime":', to_json(sourcing.api_time(new.created_at)),
    ',"updatedTime":', to_json(sourcing.api_time(new.updated_at)),
    ',"publishedTime":' || to_json(sourcing.api_time(new.published_at))::text
  );
begin
  new.document := body || '}';
  new.owner_document := concat(body,
    ',"businessUnitIds":', to_json(new.business_unit_ids), ',"customFields":', new.custom_fields, '}');
  return new;
end $$;

create trigger part_documents before insert or update on sourcing.parts
  for each row execute function sourcing.write_part_documents();

-- The labels that parts use.
create view sourcing.business_unit_usage as
select ip_owner_org_id as org_id, business_unit_ids from sourcing.parts where business_unit_ids <> '{}';
create view sourcing.custom_field_usage as
select ip_owner_org_id as org_id, custom_fields from sourcing.parts where custom_fields <> '[]';

-- The progress of the updates of parts and factories after a catalog import: one row for each while it runs. An update is
-- many short transactions, and continues here after a crash.
create table sourcing.technology_refresh (
  records text primary key check (records in ('parts', 'factories')),
  -- The last record that was updated.
  last_id text not null
);

grant select, insert, update, delete on sourcing.parts, sourcing.technology_refresh to marketplace_sourcing;
grant select on sourcing.business_unit_usage, sourcing.custom_field_usage to marketplace_organization;
