create table sourcing.parts (
  id text collate "C" primary key,
  serial_number text collate "C" not null unique,
  ip_owner_org_id text not null,
  state text not null check (state in ('DRAFT', 'PUBLISHED', 'ARCHIVED')),
  -- What the IP owner writes and every reader sees, as in the contract: a further field needs no column.
  content json not null,
  -- What the IP owner alone sees.
  business_unit_ids text[] not null default '{}',
  -- [{fieldId, optionId}]
  custom_fields jsonb not null default '[]',
  -- The technologies of the process in the catalog.
  technology_ids text[] not null default '{}',
  -- The fields of the content that indexes and joins need.
  title text generated always as (content ->> 'title') stored,
  process_id text generated always as (content ->> 'processId') stored,
  internal boolean not null generated always as (coalesce((content ->> 'internal')::boolean, false)) stored,
  preview_file_id text,
  revision integer not null default 1,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  published_at timestamptz(3),
  -- The text that `q` searches. Neither half contains the separator, so no match crosses it.
  search text not null generated always as (
    coalesce(content ->> 'title', '') || E'\x1f' || coalesce(content ->> 'externalRef', '')) stored,
  -- The public JSON of the part, and the JSON that its IP owner sees. Both are built on write, so that a list only
  -- joins texts.
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

-- The fields of a JSON object, each behind a comma, to be joined to others.
create function sourcing.fields_of(content json) returns text
language sql immutable strict parallel safe
return ',' || nullif(substr(content::text, 2, length(content::text) - 2), '');

-- The only code that builds the JSON of a part. concat() omits nulls, as the document does.
create function sourcing.write_part_documents() returns trigger
language plpgsql as $$
begin
  new.document := concat(
    '{"id":', to_json(new.id),
    ',"serialNumber":', to_json(new.serial_number),
    ',"ipOwnerOrgId":', to_json(new.ip_owner_org_id),
    ',"state":', to_json(new.state),
    sourcing.fields_of(new.content),
    ',"technologyIds":', to_json(new.technology_ids),
    ',"previewFileId":' || to_json(new.preview_file_id)::text,
    ',"revision":', new.revision,
    ',"createdTime":', to_json(sourcing.api_time(new.created_at)),
    ',"updatedTime":', to_json(sourcing.api_time(new.updated_at)),
    ',"publishedTime":' || to_json(sourcing.api_time(new.published_at))::text,
    '}');
  new.owner_document := concat(left(new.document, -1),
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

-- The progress of the updates of parts and factories after a catalog import: one row for each while it runs. An update
-- is many short transactions, and continues here after a crash.
create table sourcing.technology_refresh (
  records text primary key check (records in ('parts', 'factories')),
  -- The last record that was updated.
  last_id text not null
);

grant select, insert, update, delete on sourcing.parts, sourcing.technology_refresh to marketplace_sourcing;
grant select on sourcing.business_unit_usage, sourcing.custom_field_usage to marketplace_organization;
