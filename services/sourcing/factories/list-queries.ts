import type { Fragment, Sql } from '../../kit/db/client.ts'
import { and, contains } from '../../kit/db/conditions.ts'
import { nameKeyAt } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'
import { partAsRead } from '../parts/visibility.ts'
import { type Filters, type Index, needsCapability, type PartNeeds, type Source } from './list-filters.ts'
import { isOwn, isPublic, isReleasedBy } from './visibility.ts'

/*
 * Each statement finds ids in indexes and fetches documents for the page alone. Conditions on capabilities and releases
 * are scalar subqueries: a join would be planned for the average value and could read all capabilities.
 */

interface SourcingTerms {
  /** Set if the organization is engaged through a distributor. */
  distributorOrgId: string | null
  /** Null without a part that the organization can read. */
  part: PartNeeds | null
}

/** The material of a part, or any material of its type. */
export const materialCodesOfPart = (sql: Sql) => sql`case
  when content ->> 'materialId' is not null then array[content ->> 'materialId']
  when content ->> 'materialType' is not null then
    array(select code from catalog.material_lookup material where material.type = content ->> 'materialType')
  else '{}' end`

/** How the organization is engaged, and what the part needs. */
export const findSourcingTerms = (sql: Sql, orgId: string, partId: string | undefined) => sql<[SourcingTerms]>`
  select org.distributor_org_id as "distributorOrgId", (
    select json_build_object('technologyIds', technology_ids, 'materialCodes', ${materialCodesOfPart(sql)})
    from ${partAsRead(sql, orgId, partId ?? null)} seen where content is not null) as part
  from organization.org_directory org where org.org_id = ${orgId}`

/** The columns that filters read. Those that a statement does not use cost nothing. */
const filterColumns = (sql: Sql) =>
  sql`org_id, region_code, org_name_key, locality_key, active, org_manufactures, internal, material_codes, technology_ids`

/** The factories of a source by name. */
function inOrder(sql: Sql, source: Source, after: string | undefined) {
  const { name, id } = nameKeyAt(after)
  if (source.kind === 'released') {
    return sql`
      select released.factory_id as id, released.name, factory.*
      from sourcing.factory_releases released
      join lateral (
        select ${filterColumns(sql)} from sourcing.factories factory
        where id = released.factory_id and ${isPublic(sql)} limit 1
      ) factory on true
      where released.org_id = ${source.orgId} and released.distributor_org_id = ${source.distributorOrgId}
        and (released.name, released.factory_id) > (${name}, ${id})
      order by released.name, released.factory_id`
  }
  return sql`
    select id, name, ${filterColumns(sql)} from sourcing.factories factory
    where ${isIn(sql, source)} and (name, id) > (${name}, ${id})
    order by name, id`
}

/** The condition of a source on any factory. */
function isIn(sql: Sql, source: Source) {
  if (source.kind === 'own') return isOwn(sql, source.orgId)
  if (source.kind === 'public') return isPublic(sql)
  return sql`${isPublic(sql)} and ${isReleasedBy(sql, source.distributorOrgId, source.orgId)}`
}

/** The condition of `q` for the trigram index. */
const matchesText = (sql: Sql, q: string) => sql`(
  factory.name_key like (select lower(${contains(q)})) or factory.org_name_key like (select lower(${contains(q)})))`

/** The condition of `q` without an index, because for a short text the planner would read the whole trigram index. */
const scansText = (sql: Sql, q: string) => sql`(
  lower(factory.name) like (select lower(${contains(q)}))
  or factory.org_name_key || '' like (select lower(${contains(q)})))`

/** The last code point, which ends the range of texts with a common prefix. */
const LAST = '\u{10ffff}'

const matchesLocality = (sql: Sql, locality: string) => sql`
  factory.locality_key >= (select lower(${locality}))
  and factory.locality_key < (select lower(${locality}) || ${LAST}::text)`

const inRegion = (sql: Sql, territories: readonly string[]) =>
  sql`factory.region_code = any(${[...territories]}::text[])`

/** Rule 4 of the specification: material and technology may be of different capabilities. */
const matchesPart = (sql: Sql, { materialCodes, technologyIds }: PartNeeds) =>
  and(
    sql,
    sql`factory.material_codes && ${[...materialCodes]}::text[]`,
    technologyIds.length > 0 && sql`factory.technology_ids && ${[...technologyIds]}::text[]`,
  )

const worksMaterial = (sql: Sql, code: string) => sql`factory.material_codes @> array[${code}::text]`

/** The criticality with a code, which is unique. Capabilities have the ids, whose index has the default collation. */
const idOfCriticality = (sql: Sql, code: string) =>
  sql`(select criticality.id collate "default" from catalog.criticality_lookup criticality where criticality.code = ${code})`

/** The conditions that must hold together in one capability. */
const capabilityMatches = (sql: Sql, { materialCode, processType, standardCode, criticalityCode }: Filters) =>
  and(
    sql,
    materialCode !== undefined && sql`capability.material_code = ${materialCode}`,
    processType !== undefined && sql`capability.process_type = ${processType}`,
    standardCode !== undefined && sql`capability.standard_codes @> array[${standardCode}::text]`,
    criticalityCode !== undefined && sql`capability.criticality_ids @> array[${idOfCriticality(sql, criticalityCode)}]`,
  )

/** The filters that need capabilities: a material alone is found without them. */
const matchesCapabilities = (sql: Sql, filters: Filters) =>
  needsCapability(filters) &&
  sql`(
    select true from sourcing.factory_capabilities capability
    where capability.factory_id = factory.id and ${capabilityMatches(sql, filters)} limit 1) is true`

/** The filters on columns of a factory. */
const matchesColumns = (sql: Sql, { q, orgId, active, internal, territories, locality, part, materialCode }: Filters) =>
  and(
    sql,
    orgId !== undefined && sql`factory.org_id = ${orgId}`,
    active !== undefined && sql`factory.active = ${active}`,
    internal !== undefined && sql`factory.internal = ${internal}`,
    q !== undefined && scansText(sql, q),
    territories && inRegion(sql, territories),
    locality !== undefined && matchesLocality(sql, locality),
    part && matchesPart(sql, part),
    materialCode !== undefined && worksMaterial(sql, materialCode),
  )

/** The page of the rows `factory` that match; documents are fetched last. */
const pageOf = (sql: Sql, rows: Fragment, matches: Fragment, { limit, offset }: PageWindow) => sql<DocumentRow[]>`
  select page.name || ' ' || page.id as position,
    (select document from sourcing.factories where id = page.id) as document
  from (
    select factory.id, factory.name from ${rows} where ${matches}
    order by factory.name, factory.id limit ${limit} offset ${offset}
  ) page
  order by page.name, page.id`

/** Factories by name, filtered one after the other; at most `count` are read. */
export const scanFactories = (
  sql: Sql,
  source: Source,
  filters: Filters,
  window: PageWindow,
  count = Number.POSITIVE_INFINITY,
) =>
  pageOf(
    sql,
    sql`(${inOrder(sql, source, window.after)} ${Number.isFinite(count) ? sql`limit ${count}` : sql``}) factory`,
    and(sql, matchesColumns(sql, filters), matchesCapabilities(sql, filters)),
    window,
  )

/** The condition that an index serves. */
function indexedBy(sql: Sql, index: Exclude<Index, 'capability'>, filters: Filters) {
  const { q = '', orgId = '', territories = [], locality = '', materialCode = '' } = filters
  const { part = { materialCodes: [], technologyIds: [] } } = filters
  const conditions = {
    organization: () => sql`factory.org_id = ${orgId}`,
    material: () => worksMaterial(sql, materialCode),
    part: () => matchesPart(sql, part),
    text: () => matchesText(sql, q),
    locality: () => matchesLocality(sql, locality),
    region: () => inRegion(sql, territories),
  }
  return conditions[index]()
}

/** The factories that an index of one filter finds; the page is filtered by the others and sorted. */
export function searchFactories(sql: Sql, source: Source, filters: Filters, index: Index, window: PageWindow) {
  const { name, id } = nameKeyAt(window.after)
  const byCapability = index === 'capability'
  const candidates = byCapability
    ? sql`
      select distinct factory_id as id from sourcing.factory_capabilities capability
      where ${capabilityMatches(sql, filters)}`
    : sql`
      select id from sourcing.factories factory
      where ${and(sql, indexedBy(sql, index, filters), matchesColumns(sql, filters))}`
  return pageOf(
    sql,
    sql`(with found as materialized (${candidates}) select id from found) candidates
      join lateral (
        select id, name, ${filterColumns(sql)} from sourcing.factories candidate
        where candidate.id = candidates.id limit 1
      ) factory on true`,
    and(
      sql,
      isIn(sql, source),
      sql`(factory.name, factory.id) > (${name}, ${id})`,
      byCapability ? matchesColumns(sql, filters) : matchesCapabilities(sql, filters),
    ),
    window,
  )
}
