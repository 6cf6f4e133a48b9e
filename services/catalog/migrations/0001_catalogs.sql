-- Each catalog stores its entries by version. An import writes an unpublished version in small transactions, and a
-- short transaction then publishes it. Readers see the old or the new version, and the import never delays the cursors
-- of the event bus.

create sequence version_numbers;

create table catalogs (
  name text primary key,
  -- Version 0 is the empty catalog.
  version bigint not null default 0,
  entries integer not null default 0,
  -- The version of the product with which the content was shipped; null for an operator's own content.
  -- `catalog import --defaults` keeps the latter, and what a newer version has loaded.
  product_version text default '0.0.0',
  loaded_at timestamptz(3)
);

insert into catalogs (name) values
  ('categories'), ('criticalities'), ('materials'), ('processes'), ('standards'), ('technologies'), ('unspsc-categories');

-- `line` is the line of the imported file, for error messages.

create table categories (
  version bigint not null,
  line integer not null,
  id text collate "C" not null check (id ~ '^[A-Za-z0-9._-]{1,64}$'),
  code text collate "C",
  name text not null,
  description text,
  parent_id text collate "C",
  primary key (version, id)
);
create index categories_by_parent on categories (version, parent_id);

create table criticalities (
  version bigint not null,
  line integer not null,
  id text collate "C" not null check (id ~ '^[A-Za-z0-9._-]{1,64}$'),
  code text collate "C" not null check (code ~ '^[A-Za-z0-9._-]{1,64}$'),
  name text not null,
  governing_body text not null,
  rank integer not null check (rank >= 1),
  primary key (version, id),
  unique (version, code)
);

create table materials (
  version bigint not null,
  line integer not null,
  code text collate "C" not null check (code ~ '^[A-Za-z0-9._-]{1,64}$'),
  name text not null,
  type text not null check (type in ('metal', 'polymer', 'ceramic', 'composite', 'sand', 'wax', 'other')),
  standard_codes text[] not null,
  primary key (version, code)
);

create table processes (
  version bigint not null,
  line integer not null,
  code text collate "C" not null check (code ~ '^[A-Za-z0-9._-]{1,64}$'),
  name text not null,
  material_type text not null
    check (material_type in ('metal', 'polymer', 'ceramic', 'composite', 'sand', 'wax', 'other')),
  technology_ids text[] not null,
  primary key (version, code)
);

create table standards (
  version bigint not null,
  line integer not null,
  code text collate "C" not null check (code ~ '^[A-Za-z0-9._-]{1,64}$'),
  title text not null,
  governing_body text not null,
  material_type text check (material_type in ('metal', 'polymer', 'ceramic', 'composite', 'sand', 'wax', 'other')),
  edition text,
  primary key (version, code)
);

create table technologies (
  version bigint not null,
  line integer not null,
  id text collate "C" not null check (id ~ '^[A-Za-z0-9._-]{1,64}$'),
  code text collate "C" not null,
  label text not null,
  acronyms text[] not null,
  production_process_type text not null
    check (production_process_type in ('additive_manufacturing', 'cnc', 'rapid_casting')),
  process_family text check (process_family in ('BJT', 'DED', 'MEX', 'MJT', 'PBF', 'SHL', 'VPP')),
  primary key (version, id)
);

-- The codes of the levels above a UNSPSC category follow from its own code, so only code and title are stored.
create table unspsc_categories (
  version bigint not null,
  line integer not null,
  id text collate "C" not null check (id ~ '^[0-9]{8}$'),
  level smallint not null generated always as (
    case
      when right(id, 6) = '000000' then 1
      when right(id, 4) = '0000' then 2
      when right(id, 2) = '00' then 3
      else 4
    end
  ) stored,
  title text not null,
  primary key (version, id)
);

-- The service only reads. The operator's command writes as the owner.
grant select on
  catalogs, categories, criticalities, materials, processes, standards, technologies, unspsc_categories
  to marketplace_catalog;
