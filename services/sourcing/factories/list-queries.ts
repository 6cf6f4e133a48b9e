import type { Sql } from '../../kit/db/client.ts'
import { contains } from '../../kit/db/like.ts'
import { nameKeyAt } from '../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../kit/pagination/pagination.ts'
import { isReadable as isReadablePart } from '../parts/visibility.ts'
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
    from sourcing.parts where id = ${partId ?? null} and ${isReadablePart(sql, orgId)}) as part
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
const matchesPart = (sql: Sql, { materialCodes, technologyIds }: PartNeeds) => sql`
  factory.material_codes && ${[...materialCodes]}::text[]
  ${technologyIds.length === 0 ? sql`` : sql`and factory.technology_ids && ${[...technologyIds]}::text[]`}`

const worksMaterial = (sql: Sql, code: string) => sql`factory.material_codes @> array[${code}::text]`

/** The criticality with a code, which is unique. Capabilities have the ids, whose index has the default collation. */
const idOfCriticality = (sql: Sql, code: string) =>
  sql`(select criticality.id collate "default" from catalog.criticality_lookup criticality where criticality.code = ${code})`

/** The conditions that must hold together in one capability. */
const capabilityMatches = (sql: Sql, { materialCode, processType, standardCode, criticalityCode }: Filters) => sql`
  true ${materialCode === undefined ? sql`` : sql`and capability.material_code = ${materialCode}`}
  ${processType === undefined ? sql`` : sql`and capability.process_type = ${processType}`}
  ${standardCode === undefined ? sql`` : sql`and capability.standard_codes @> array[${standardCode}::text]`}
  ${
    criticalityCode === undefined
      ? sql``
      : sql`and capability.criticality_ids @> array[${idOfCriticality(sql, criticalityCode)}]`
  }`

const hasCapability = (sql: Sql, filters: Filters) => sql`(
  select true from sourcing.factory_capabilities capability
  where capability.factory_id = factory.id and ${capabilityMatches(sql, filters)} limit 1) is true`

/** The filters on columns of a factory. */
function matchesColumns(sql: Sql, filters: Filters) {
  const { q, orgId, active, internal, territories, locality, part, materialCode } = filters
  return sql`
    ${orgId === undefined ? sql`` : sql`and factory.org_id = ${orgId}`}
    ${active === undefined ? sql`` : sql`and factory.active = ${active}`}
    ${internal === undefined ? sql`` : sql`and factory.internal = ${internal}`}
    ${q === undefined ? sql`` : sql`and ${scansText(sql, q)}`}
    ${territories === undefined ? sql`` : sql`and ${inRegion(sql, territories)}`}
    ${locality === undefined ? sql`` : sql`and ${matchesLocality(sql, locality)}`}
    ${part === undefined ? sql`` : sql`and ${matchesPart(sql, part)}`}
    ${materialCode === undefined ? sql`` : sql`and ${worksMaterial(sql, materialCode)}`}`
}

const matchesCapabilities = (sql: Sql, filters: Filters) =>
  needsCapability(filters) ? sql`and ${hasCapability(sql, filters)}` : sql``

const documentOfPage = (sql: Sql) => sql`(select document from sourcing.factories where id = page.id)`

/** Factories by name, filtered one after the other; `maxScanned` limits the number of factories that are read. */
export const scanFactories = (
  sql: Sql,
  source: Source,
  filters: Filters,
  { after, limit, offset }: PageWindow,
  maxScanned?: number,
) => sql<DocumentRow[]>`
  select page.name || ' ' || page.id as position, ${documentOfPage(sql)} as document
  from (
    select factory.id, factory.name
    from (${inOrder(sql, source, after)} ${maxScanned === undefined ? sql`` : sql`limit ${maxScanned}`}) factory
    where true ${matchesColumns(sql, filters)} ${matchesCapabilities(sql, filters)}
    order by factory.name, factory.id limit ${limit} offset ${offset}
  ) page
  order by page.name, page.id`

/** The ids that an index finds, filtered by capabilities or, with another index, by all other filters. */
function candidatesBy(sql: Sql, index: Index, filters: Filters) {
  const { q = '', orgId = '', territories = [], locality = '', materialCode = '' } = filters
  const { part = { materialCodes: [], technologyIds: [] } } = filters
  if (index === 'capability') {
    return sql`
      select distinct factory_id as id from sourcing.factory_capabilities capability
      where ${capabilityMatches(sql, filters)}`
  }
  const conditions = {
    organization: () => sql`factory.org_id = ${orgId}`,
    material: () => worksMaterial(sql, materialCode),
    part: () => matchesPart(sql, part),
    text: () => matchesText(sql, q),
    locality: () => matchesLocality(sql, locality),
    region: () => inRegion(sql, territories),
  }
  return sql`
    select id from sourcing.factories factory where ${conditions[index]()} ${matchesColumns(sql, filters)}`
}

/** The factories that an index of one filter finds; the page is filtered by the others and sorted. */
export const searchFactories = (
  sql: Sql,
  source: Source,
  filters: Filters,
  index: Index,
  { after, limit, offset }: PageWindow,
) => {
  const { name, id } = nameKeyAt(after)
  return sql<DocumentRow[]>`
    with candidates as materialized (${candidatesBy(sql, index, filters)})
    select page.name || ' ' || page.id as position, ${documentOfPage(sql)} as document
    from (
      select factory.id, factory.name
      from candidates
      join lateral (
        select id, name, ${filterColumns(sql)} from sourcing.factories candidate
        where candidate.id = candidates.id limit 1
      ) factory on true
      where ${isIn(sql, source)} and (factory.name, factory.id) > (${name}, ${id})
        ${index === 'capability' ? matchesColumns(sql, filters) : matchesCapabilities(sql, filters)}
      order by factory.name, factory.id limit ${limit} offset ${offset}
    ) page
    order by page.name, page.id`
}
