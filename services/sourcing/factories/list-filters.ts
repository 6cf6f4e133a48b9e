import type { QueryOf } from '../../../proto/http/operation.ts'
import type { listFactories } from '../../../proto/http/sourcing/factories.ts'
import { hasTrigram } from '../../kit/db/conditions.ts'
import { territoriesOf } from '../regions/regions.ts'

export type FactoryQuery = QueryOf<typeof listFactories>

/** What a factory must hold for a part: any of the materials, and any of the technologies if there are some. */
export interface PartNeeds {
  materialCodes: string[]
  technologyIds: string[]
}

/** The filters of the list, with codes of regions and parts resolved. */
export interface Filters {
  q?: string | undefined
  orgId?: string | undefined
  active?: boolean | undefined
  internal?: boolean | undefined
  territories?: string[] | undefined
  locality?: string | undefined
  part?: PartNeeds | undefined
  materialCode?: string | undefined
  standardCode?: string | undefined
  criticalityCode?: string | undefined
  processType?: string | undefined
}

/** The factories of a view: own ones, all public ones, or those that a distributor released to the organization. */
export type Source =
  | { kind: 'own'; orgId: string }
  | { kind: 'public' }
  | { kind: 'released'; orgId: string; distributorOrgId: string }

/** The filters of a query; undefined where no factory can match. */
export function filtersOf(query: FactoryQuery, part: PartNeeds | undefined): Filters | undefined {
  const { view, page, pageSize, regionCode, partId, active, internal, ...rest } = query
  const territories = regionCode === undefined ? undefined : territoriesOf(regionCode)
  if (territories?.length === 0 || part?.materialCodes.length === 0) return undefined
  const filters = { ...rest, territories, part }
  if (view === 'MANUFACTURER') return { ...filters, active, internal }
  // The view has only active factories that are not internal.
  return active === false || internal === true ? undefined : filters
}

/** Whether capabilities must be read: a material alone is found without them. */
export const needsCapability = ({ processType, standardCode, criticalityCode }: Filters) =>
  [processType, standardCode, criticalityCode].some((value) => value !== undefined)

/** The indexes that find all factories of one filter. */
export type Index = 'organization' | 'capability' | 'material' | 'part' | 'text' | 'locality' | 'region'

/** The index of the filter that usually matches the fewest factories; undefined without an indexed filter. */
export function indexFor(filters: Filters): Index | undefined {
  const { q, orgId, territories, locality, part, materialCode, standardCode, criticalityCode, processType } = filters
  if (orgId !== undefined) return 'organization'
  if (standardCode !== undefined || criticalityCode !== undefined) return 'capability'
  if (materialCode !== undefined) return 'material'
  if (part) return 'part'
  if (q !== undefined && hasTrigram(q)) return 'text'
  if (locality !== undefined && locality !== '') return 'locality'
  if (territories) return 'region'
  return processType === undefined ? undefined : 'capability'
}
