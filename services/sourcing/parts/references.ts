import type { PartInput } from '../../../proto/http/sourcing/parts.ts'
import type { Sql } from '../../kit/db/client.ts'
import { merged, optionKey, type Resolved } from './rules.ts'

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

/** Keeps the entries that are about to be named from being imported away before this transaction ends. */
export const holdEntries = (sql: Sql) => sql`select catalog.hold_entries()`

/** Looks up every id that a part names, in one statement: what is there, and which of a list are not. */
export async function resolveReferences(sql: Sql, orgId: string, input: PartInput): Promise<Resolved> {
  const optionIds = (input.customFields ?? []).map(({ optionId }) => optionId)
  const [row] = await sql<[ResolvedRow]>`
    select
      (select type from catalog.material_lookup where code = ${input.materialId ?? null}) as material_type,
      (select json_build_object('materialType', material_type, 'technologyIds', technology_ids)
        from catalog.process_lookup where code = ${input.processId ?? null}) as process,
      array(select unnest(${merged(input.standardIds)}::text[])
        except select code from catalog.standard_lookup) as standards,
      array(select unnest(${merged(input.criticalityIds)}::text[])
        except select id from catalog.criticality_lookup) as criticalities,
      array(select wanted from unnest(${merged(input.categoryIds)}::text[]) wanted
        where not exists (select from catalog.category_lookup c where c.id = wanted)) as categories,
      array(select wanted from unnest(${merged(input.unspscCategoryIds)}::text[]) wanted
        where not exists (select from catalog.unspsc_lookup u where u.id = wanted)) as unspsc_categories,
      array(select wanted from unnest(${merged(input.businessUnitIds)}::text[]) wanted
        where not exists (select from organization.business_unit_lookup b
          where b.business_unit_id = wanted and b.org_id = ${orgId})) as business_units,
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
