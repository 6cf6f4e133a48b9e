import type { Sql, Tx } from '../../kit/db/client.ts'
import { optionKey, type PartContent, type Resolved } from './rules.ts'

interface ResolvedRow {
  material_type: string | null
  process: { materialType: string; technologyIds: string[] } | null
  standards: string[]
  criticalities: string[]
  categories: string[]
  unspsc_categories: string[]
  business_units: string[]
  options: { fieldId: string; optionId: string }[]
}

/**
 * Until the transaction ends, no import can remove catalog entries, and the organization cannot delete business units,
 * custom fields or options. The references must be resolved in a later statement.
 */
export const lockReferences = (tx: Tx, orgId: string) => tx`
  select catalog.lock_entries_shared(), organization.lock_labels_shared(${orgId})`

/**
 * Resolves every id of a part in one statement, and returns the unknown ids of each list. A scalar subquery looks up
 * each id by an index; an anti-join could be planned as a scan of the whole catalog.
 */
export async function resolveReferences(sql: Sql, orgId: string, input: PartContent): Promise<Resolved> {
  const optionIds = input.customFields.map(({ optionId }) => optionId)
  const [row] = await sql<[ResolvedRow]>`
    select
      (select type from catalog.material_lookup where code = ${input.materialId ?? null}) as material_type,
      (select json_build_object('materialType', material_type, 'technologyIds', technology_ids)
        from catalog.process_lookup where code = ${input.processId ?? null}) as process,
      array(select wanted from unnest(${input.standardIds}::text[]) wanted
        where (select code from catalog.standard_lookup where code = wanted) is null) as standards,
      array(select wanted from unnest(${input.criticalityIds}::text[]) wanted
        where (select id from catalog.criticality_lookup where id = wanted) is null) as criticalities,
      array(select wanted from unnest(${input.categoryIds}::text[]) wanted
        where (select id from catalog.category_lookup where id = wanted) is null) as categories,
      array(select wanted from unnest(${input.unspscCategoryIds}::text[]) wanted
        where (select id from catalog.unspsc_lookup where id = wanted) is null) as unspsc_categories,
      array(select wanted from unnest(${input.businessUnitIds}::text[]) wanted
        where (select org_id from organization.business_unit_lookup where business_unit_id = wanted)
          is distinct from ${orgId}) as business_units,
      coalesce((select json_agg(json_build_object('fieldId', field_id, 'optionId', option_id))
        from organization.custom_field_lookup
        where org_id = ${orgId} and option_id = any(${optionIds}::text[])), '[]') as options`
  return {
    materialType: row.material_type,
    process: row.process,
    unknown: {
      standardIds: row.standards,
      criticalityIds: row.criticalities,
      categoryIds: row.categories,
      unspscCategoryIds: row.unspsc_categories,
      businessUnitIds: row.business_units,
    },
    knownOptions: new Set(row.options.map(optionKey)),
  }
}
