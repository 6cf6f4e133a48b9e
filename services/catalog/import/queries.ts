import type { Sql, Tx } from '../../kit/db/client.ts'
import type { Entry } from '../files/format.ts'

/** The names that statements use. They come from the declaration of the catalog, never from a file. */
interface StoredCatalog {
  name: string
  table: string
  key: string
  orderBy: string
  file: { columns: readonly string[] }
}

/** Session lock of an import, because concurrent imports would delete each other's unpublished versions. */
const IMPORT_LOCK = 5_021_378

/** False if another import is running. */
export async function tryLockImports(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ locked: boolean }[]>`select pg_try_advisory_lock(${IMPORT_LOCK}) as locked`
  return row?.locked === true
}

export const unlockImports = (sql: Sql) => sql`select pg_advisory_unlock(${IMPORT_LOCK})`

export interface CatalogVersion {
  name: string
  /** A bigint as text. */
  version: string
  entries: number
  /** The version of the product with which the content was shipped; null for an operator's own content. */
  product_version: string | null
}

export const listCurrentVersions = (sql: Sql) => sql<CatalogVersion[]>`
  select name, version, entries, product_version from catalog.catalogs`

export async function newVersion(sql: Sql): Promise<string> {
  const [row] = await sql<{ version: string }[]>`select nextval('catalog.version_numbers') as version`
  return row?.version ?? ''
}

/** Inserts entries of an unpublished version and returns the keys that are new in it. */
export const stageEntries = (sql: Sql, { table, key, file }: StoredCatalog, entries: readonly Entry[]) => {
  const columns = ['version', 'line', ...file.columns]
  return sql<{ key: string }[]>`
    insert into ${sql(table)} (${sql(columns)})
    select ${sql(columns)} from jsonb_populate_recordset(null::${sql(table)}, ${sql.json(entries as never)})
    on conflict do nothing
    returning ${sql(key)} as key`
}

/** Those of some keys that an unpublished version has. */
export const listStagedKeys = (
  sql: Sql,
  { table, key }: StoredCatalog,
  version: string,
  keys: readonly string[],
) => sql<{ key: string }[]>`
  select ${sql(key)} as key from ${sql(table)} where version = ${version} and ${sql(key)} = any (${sql.array([...keys])})`

/** Without statistics the planner would expect one row in the new version and use nested loops for minutes. */
export const analyzeEntries = (sql: Sql, { table }: StoredCatalog) => sql`analyze ${sql(table)}`

/** Deletes a batch of unpublished versions and returns the number of entries. */
export async function deleteUnpublishedBatch(sql: Sql, { table, name }: StoredCatalog, limit: number): Promise<number> {
  const { count } = await sql`
    delete from ${sql(table)} where ctid = any (array(
      select ctid from ${sql(table)}
      where version <> (select version from catalog.catalogs where name = ${name}) limit ${limit}
    ))`
  return count
}

export interface Comparison {
  added: number
  changed: number
  removed: number
}

/** The difference between a staged and the published version. */
export async function compareVersions(
  sql: Sql,
  { table, key }: StoredCatalog,
  published: string,
  staged: string,
): Promise<Comparison> {
  const version = (number: string) => sql`
    select ${sql(key)} as key, to_jsonb(entry) - 'version' - 'line' as content
    from ${sql(table)} as entry where version = ${number}`
  const [row] = await sql<Comparison[]>`
    select
      count(*) filter (where before.key is null)::int as added,
      count(*) filter (where before.content <> after.content)::int as changed,
      count(*) filter (where after.key is null)::int as removed
    from (${version(published)}) as before full join (${version(staged)}) as after using (key)`
  return row ?? { added: 0, changed: 0, removed: 0 }
}

/** Keys of the published version that the staged one lacks. */
export const listRemovedKeys = (sql: Sql, { table, key }: StoredCatalog, published: string, staged: string) => sql<
  { key: string }[]
>`
  select ${sql(key)} as key from ${sql(table)} as before
  where version = ${published} and not exists (
    select 1 from ${sql(table)} as after where after.version = ${staged} and after.${sql(key)} = before.${sql(key)}
  )`

interface DanglingReference {
  line: number
  key: string
  /** Key of the missing entry. */
  target: string
  /** Number of all dangling references, of which the first are listed. */
  total: number
}

/** The first entries of a version with a reference that the referenced version lacks. */
export const listDanglingReferences = (
  sql: Sql,
  from: { catalog: StoredCatalog; version: string; column: string },
  to: { catalog: StoredCatalog; version: string },
  limit: number,
) => sql<DanglingReference[]>`
  select entry.line, entry.${sql(from.catalog.key)} as key, named.key as target, (count(*) over ())::int as total
  from ${sql(from.catalog.table)} as entry
  cross join lateral unnest(array[]::text[] || entry.${sql(from.column)}) as named (key)
  where entry.version = ${from.version} and named.key is not null and not exists (
    select 1 from ${sql(to.catalog.table)} as target
    where target.version = ${to.version} and target.${sql(to.catalog.key)} = named.key
  )
  order by entry.line, named.key limit ${limit}`

/** Categories that are unreachable from a root because of a cycle. */
export const listUnreachableCategories = (sql: Sql, version: string, limit: number) => sql<
  { line: number; key: string; total: number }[]
>`
  with recursive reachable as (
    select id from catalog.categories where version = ${version} and parent_id is null
    union
    select child.id from reachable
    join catalog.categories as child on child.version = ${version} and child.parent_id = reachable.id
  )
  select line, id as key, (count(*) over ())::int as total from catalog.categories
  where version = ${version} and id not in (select id from reachable)
  order by line limit ${limit}`

/** Whether sourcing has published the view of its references. */
export async function isReferenceViewPresent(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ declared: boolean }[]>`
    select to_regclass('sourcing.catalog_references') is not null as declared`
  return row?.declared === true
}

/** Those of the entries to which a record of sourcing refers. */
export const listReferencedKeys = (sql: Sql, catalog: string, keys: readonly string[]) => sql<{ key: string }[]>`
  select distinct id as key from sourcing.catalog_references
  where catalog = ${catalog} and id = any (${sql.array([...keys])})
  order by id`

export async function countEntries(sql: Sql, { table }: StoredCatalog, version: string): Promise<number> {
  const [row] = await sql<{ entries: number }[]>`
    select count(*)::int as entries from ${sql(table)} where version = ${version}`
  return row?.entries ?? 0
}

/** Waits for all transactions that refer to entries, and blocks new ones. */
export const lockEntries = (tx: Tx) => tx`select catalog.lock_entries_exclusive()`

export const publishVersion = (
  tx: Tx,
  { name, version, entries, product_version, now }: CatalogVersion & { now: string },
) => tx`
  update catalog.catalogs
  set version = ${version}, entries = ${entries}, product_version = ${product_version}, loaded_at = ${now}
  where name = ${name}`

/** Entries for an export, in list order. */
export const readStoredEntries = (tx: Tx, { name, table, key, orderBy, file }: StoredCatalog) =>
  tx<Entry[]>`
  select ${tx([...file.columns])}
  from ${tx(table)}
  where version = (select version from catalog.catalogs where name = ${name})
  order by coalesce(${tx(orderBy)}, ${tx(key)}) collate "C", ${tx(key)} collate "C"`.cursor(1000)
