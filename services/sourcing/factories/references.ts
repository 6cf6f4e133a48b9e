import type { Capability, CapabilityInput } from '../../../proto/http/sourcing/factories.ts'
import type { Sql, Tx } from '../../kit/db/client.ts'
import type { ResolvedCapabilities } from './rules.ts'

/** Until the transaction ends, no import can remove catalog entries. A later statement must resolve references. */
export const lockCatalogs = (tx: Tx) => tx`select catalog.lock_entries_shared()`

interface ResolvedRow {
  process_types: Record<string, Capability['processType']>
  materials: string[]
  standards: string[]
  criticalities: string[]
}

/** Resolves every id of capabilities in one statement. */
export async function resolveCapabilities(sql: Sql, sent: readonly CapabilityInput[]): Promise<ResolvedCapabilities> {
  const distinct = (idsOf: (capability: CapabilityInput) => readonly string[]) => [...new Set(sent.flatMap(idsOf))]
  const [row] = await sql<[ResolvedRow]>`
    select
      coalesce((select json_object_agg(id, production_process_type) from catalog.technology_lookup
        where id = any(${distinct(({ technologyId }) => [technologyId])}::text[])), '{}') as process_types,
      array(select wanted from unnest(${distinct(({ materialCode }) => [materialCode])}::text[]) wanted
        where (select code from catalog.material_lookup where code = wanted) is null) as materials,
      array(select wanted from unnest(${distinct(({ standardCodes = [] }) => standardCodes)}::text[]) wanted
        where (select code from catalog.standard_lookup where code = wanted) is null) as standards,
      array(select wanted from unnest(${distinct(({ criticalityIds = [] }) => criticalityIds)}::text[]) wanted
        where (select id from catalog.criticality_lookup where id = wanted) is null) as criticalities`
  return {
    processTypes: new Map(Object.entries(row.process_types)),
    unknownMaterials: new Set(row.materials),
    unknownStandards: new Set(row.standards),
    unknownCriticalities: new Set(row.criticalities),
  }
}
