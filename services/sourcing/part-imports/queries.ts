import type { Sql, Tx } from '../../kit/db/client.ts'
import { lockByName } from '../../kit/db/locks.ts'
import { isOwn } from '../parts/visibility.ts'

/** Imports of one organization run one after the other, because two could create parts with one reference. */
export const lockImports = (tx: Tx, orgId: string) => lockByName(tx, 'part imports', orgId)

/** Own parts by their reference, at most two of each. In an order, the planner would read all parts of the owner. */
export const findReferenced = (sql: Sql, orgId: string, references: readonly string[]) => sql<
  { reference: string; id: string }[]
>`
  select reference, part.id
  from unnest(${[...references]}::text[]) reference
  cross join lateral (
    select id from sourcing.parts
    where ip_owner_org_id = ${orgId} and content ->> 'externalRef' = reference
    limit 2
  ) part`

/** The owner's JSON of own parts, locked in the order of their ids until the transaction ends. */
export const lockParts = (tx: Tx, orgId: string, ids: readonly string[]) => tx<{ document: string }[]>`
  select owner_document as document from sourcing.parts
  where id = any(${[...ids]}) and ${isOwn(tx, orgId)} order by id for update`

export const findMaterialTypes = (sql: Sql, codes: readonly string[]) => sql<{ code: string; type: string }[]>`
  select code, type from catalog.material_lookup where code = any(${[...codes]})`

export const findProcesses = (sql: Sql, codes: readonly string[]) => sql<
  { code: string; material_type: string; technology_ids: string[] }[]
>`
  select code, material_type, technology_ids from catalog.process_lookup where code = any(${[...codes]})`

/** The codes of the materials or processes that have each name, whatever its case, at most six of each. */
export const findNamed = (sql: Sql, catalog: 'material_lookup' | 'process_lookup', names: readonly string[]) => sql<
  { name: string; codes: string[] }[]
>`
  select wanted as name, (array_agg(code order by code))[1:6] as codes
  from unnest(${[...names]}::text[]) wanted
  join ${sql(`catalog.${catalog}`)} entry on lower(entry.name) = lower(wanted)
  group by wanted`

/** Parts as columns: content and technologies are JSON. */
interface PartColumns {
  ids: string[]
  contents: string[]
  technologies: string[]
}

/** No row for a part whose serial number is taken. */
export const insertParts = (
  tx: Tx,
  orgId: string,
  { ids, serialNumbers, contents, technologies }: PartColumns & { serialNumbers: string[] },
  now: string,
) => tx<{ id: string }[]>`
  insert into sourcing.parts (id, serial_number, ip_owner_org_id, state, content, technology_ids, created_at, updated_at)
  select id, serial_number, ${orgId}, 'DRAFT', content::json, array(select json_array_elements_text(technologies::json)),
    ${now}, ${now}
  from unnest(${ids}::text[], ${serialNumbers}::text[], ${contents}::text[], ${technologies}::text[])
    part (id, serial_number, content, technologies)
  on conflict (serial_number) do nothing
  returning id`

/** The fields that only the owner sees are not in a table, so they stay. */
export const updateParts = (tx: Tx, orgId: string, { ids, contents, technologies }: PartColumns, now: string) => tx`
  update sourcing.parts set content = changed.content::json, revision = revision + 1, updated_at = ${now},
    technology_ids = array(select json_array_elements_text(changed.technologies::json))
  from unnest(${ids}::text[], ${contents}::text[], ${technologies}::text[]) changed (id, content, technologies)
  where parts.id = changed.id and ${isOwn(tx, orgId)}`

/** The parts of an organization for a table, newest first. */
export const listContents = (sql: Sql, orgId: string, before: string, limit: number) => sql<
  { id: string; content: Record<string, string> }[]
>`
  select id, content from sourcing.parts
  where ${isOwn(sql, orgId)} and id < ${before} order by id desc limit ${limit}`
