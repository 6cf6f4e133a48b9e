import type { Sql } from '../../../kit/db/client.ts'
import { contains } from '../../../kit/db/search.ts'
import { nameKeyAt } from '../../../kit/pagination/keysets.ts'
import type { DocumentRow, PageWindow } from '../../../kit/pagination/pagination.ts'
import { isReadable as isReadablePart } from '../../parts/visibility.ts'
import { isPublic, isReleasedBy } from '../visibility.ts'
import type { Filters, Index, PartNeeds, Source } from './filters.ts'

/*
 * Each statement finds ids in indexes and fetches documents for the page alone. Conditions on capabilities and releases are
 * scalar subqueries: a join would be planned for the average material and could read all capabilities.
 */

export interface SourcingTerms {
  /** Set if the organization is engaged through a distributor. */
  distributorOrgId: string | null
  /** Null without a part that the organization can read. */
  part: PartNeeds | null
}

/** How the organization is engaged, and what the part needs. A part with only a material type needs any material of it. */
export const findSourcingTerms = (sql: Sql, orgId: string, partId: string | undefined) => sql<[SourcingTerms]>`
  select org.distributor_org_id as "distributorOrgId", (
    select json_build_object('technologyIds', technology_ids, 'materialCodes', case
      when material_id is not null then array[material_id]
      when material_type is not null then
        array(select code from catalog.material_lookup material where material.type = material_type)
      else '{}' end)
    from sourcing.parts where id = ${partId ?? null} and ${isReadablePart(sql, orgId)}) as part
  from organization.org_directory org where org.org_id = ${orgId}`

/** The columns that filters read, of the factories of a source by name. */
function inOrder(sql: Sql, source: Source, after: string | undefined) {
  const { name, id } = nameKeyAt(after)
  if (source.kind === 'released') {
    return sql`
      select factory.id, factory.name, org_id, region_code, name_key, org_name_key, locality_key, active, internal
      from (
        select factory_id, name from sourcing.factory_releases
        where org_id = ${source.orgId} and distributor_org_id = ${source.distributorOrgId}
          and (name, factory_id) > (${name}, ${id})
        order by name, factory_id
      ) released
      join lateral (
        select id, name, org_id, region_code, name_key, org_name_key, locality_key, active, internal
        from sourcing.factories factory where id = released.factory_id and ${isPublic(sql)} limit 1
      ) factory on true
      order by released.name, released.factory_id`
  }
  if (source.kind === 'own') {
    return sql`
      select id, name, org_id, region_code, name_key, org_name_key, locality_key, active, internal
      from sourcing.factories where org_id = ${source.orgId} and (name, id) > (${name}, ${id})
      order by name, id`
  }
  return sql`
    select id, name, org_id, region_code, name_key, org_name_key, locality_key, true as active, false as internal
    from sourcing.factories where active and not internal and (name, id) > (${name}, ${id})
    order by name, id`
}

/** The condition of a source on any factory. */
function isIn(sql: Sql, source: Source) {
  if (source.kind === 'own') return sql`factory.org_id = ${source.orgId}`
  if (source.kind === 'public') return isPublic(sql)
  return sql`${isPublic(sql)} and ${isReleasedBy(sql, source.distributorOrgId, source.orgId)}`
}

/** The text after every text with the same beginning. */
const LAST = '\u{10ffff}'

const matchesText = (sql: Sql, q: string) => sql`(
  factory.name_key like (select lower(${contains(q)})) or factory.org_name_key like (select lower(${contains(q)})))`

const matchesLocality = (sql: Sql, locality: string) => sql`
  factory.locality_key >= (select lower(${locality}))
  and factory.locality_key < (select lower(${locality}) || ${LAST}::text)`

const inRegion = (sql: Sql, territories: readonly string[]) =>
  sql`factory.region_code = any(${[...territories]}::text[])`

/** The conditions on one capability that must hold together. */
const capabilityMatches = (sql: Sql, { materialCode, processType, standardCode, criticalityCode }: Filters) => sql`
  true ${materialCode === undefined ? sql`` : sql`and capability.material_code = ${materialCode}`}
  ${processType === undefined ? sql`` : sql`and capability.process_type = ${processType}`}
  ${standardCode === undefined ? sql`` : sql`and capability.standard_codes @> array[${standardCode}::text]`}
  ${criticalityCode === undefined ? sql`` : sql`and capability.criticality_ids @> array[${criticalityCode}::text]`}`

const worksMaterial = (sql: Sql, { materialCodes }: PartNeeds) =>
  sql`capability.material_code = any(${[...materialCodes]}::text[])`

const usesTechnology = (sql: Sql, { technologyIds }: PartNeeds) =>
  sql`capability.technology_id = any(${[...technologyIds]}::text[])`

type Condition = ReturnType<typeof worksMaterial>

const holds = (sql: Sql, condition: Condition) => sql`and (
  select true from sourcing.factory_capabilities capability
  where capability.factory_id = factory.id and ${condition} limit 1) is true`

const hasCapabilityFilter = ({ materialCode, processType, standardCode, criticalityCode }: Filters) =>
  [materialCode, processType, standardCode, criticalityCode].some((value) => value !== undefined)

function matches(sql: Sql, filters: Filters) {
  const { q, orgId, active, internal, territories, locality, part } = filters
  return sql`
    ${orgId === undefined ? sql`` : sql`and factory.org_id = ${orgId}`}
    ${active === undefined ? sql`` : sql`and factory.active = ${active}`}
    ${internal === undefined ? sql`` : sql`and factory.internal = ${internal}`}
    ${q === undefined ? sql`` : sql`and ${matchesText(sql, q)}`}
    ${territories === undefined ? sql`` : sql`and ${inRegion(sql, territories)}`}
    ${locality === undefined ? sql`` : sql`and ${matchesLocality(sql, locality)}`}
    ${part === undefined ? sql`` : holds(sql, worksMaterial(sql, part))}
    ${part === undefined || part.technologyIds.length === 0 ? sql`` : holds(sql, usesTechnology(sql, part))}
    ${hasCapabilityFilter(filters) ? holds(sql, capabilityMatches(sql, filters)) : sql``}`
}

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
    where true ${matches(sql, filters)}
    order by factory.name, factory.id limit ${limit} offset ${offset}
  ) page
  order by page.name, page.id`

/** The ids of all factories that match one filter, by its index. */
function candidatesBy(sql: Sql, index: Index, filters: Filters) {
  const {
    q = '',
    orgId = '',
    territories = [],
    locality = '',
    part = { materialCodes: [], technologyIds: [] },
  } = filters
  const ofFactories = (condition: Condition) => sql`select id from sourcing.factories factory where ${condition}`
  const ofCapabilities = (condition: Condition) =>
    sql`select distinct factory_id as id from sourcing.factory_capabilities capability where ${condition}`
  const byIndex = {
    organization: () => ofFactories(sql`factory.org_id = ${orgId}`),
    capability: () => ofCapabilities(capabilityMatches(sql, filters)),
    partMaterial: () => ofCapabilities(worksMaterial(sql, part)),
    partTechnology: () => ofCapabilities(usesTechnology(sql, part)),
    text: () => ofFactories(matchesText(sql, q)),
    locality: () => ofFactories(matchesLocality(sql, locality)),
    region: () => ofFactories(inRegion(sql, territories)),
  } satisfies Record<Index, () => unknown>
  return byIndex[index]()
}

/** All factories that match one filter, by its index; the page is sorted and filtered by the others. */
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
        select id, name, org_id, region_code, name_key, org_name_key, locality_key, active, internal
        from sourcing.factories candidate where candidate.id = candidates.id limit 1
      ) factory on true
      where ${isIn(sql, source)} and (factory.name, factory.id) > (${name}, ${id}) ${matches(sql, filters)}
      order by factory.name, factory.id limit ${limit} offset ${offset}
    ) page
    order by page.name, page.id`
}
