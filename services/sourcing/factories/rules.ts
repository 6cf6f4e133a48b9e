import type { FieldError } from '../../../proto/errors.ts'
import type { Capability, CapabilityInput, Factory } from '../../../proto/http/sourcing/factories.ts'
import type { FactoryPatch } from '../../../proto/http/sourcing/factory-administration.ts'
import { noSuch } from '../../../proto/messages.ts'
import type { Permission } from '../../../proto/permissions.ts'

export const VIEW_PERMISSIONS = {
  CONSUMER: 'app:consumer',
  MANUFACTURER: 'app:manufacturer',
} as const satisfies Record<string, Permission>

/** The permissions by which a caller reads factories of other organizations. */
export interface FactoryReader {
  /** It may read what the view CONSUMER lists. */
  consumer: boolean
  /** It may read what a distributor may release. */
  distributor: boolean
}

export const readerOf = ({ permissions }: { permissions: ReadonlySet<Permission> }): FactoryReader => ({
  consumer: permissions.has(VIEW_PERMISSIONS.CONSUMER),
  distributor: permissions.has('factory:release'),
})

/** The stored state, because `active` of the document also depends on the organization. */
export const stateOf = ({ active }: { active: boolean }) => (active ? 'ACTIVE' : 'INACTIVE')

/** What the ids of capabilities resolve to in the catalogs. */
export interface ResolvedCapabilities {
  /** Production process types by technology. */
  processTypes: ReadonlyMap<string, Capability['processType']>
  unknownMaterials: ReadonlySet<string>
  unknownStandards: ReadonlySet<string>
  unknownCriticalities: ReadonlySet<string>
}

/** The unknown ids of capabilities, each with its position in the request. */
export function capabilityProblems(sent: readonly CapabilityInput[], resolved: ResolvedCapabilities): FieldError[] {
  const { processTypes, unknownMaterials, unknownStandards, unknownCriticalities } = resolved
  const problem = (isKnown: boolean, field: string, what: string, id: string): FieldError[] =>
    isKnown ? [] : [{ field, message: noSuch(what, id) }]
  return sent.flatMap(({ materialCode, technologyId, standardCodes = [], criticalityIds = [] }, index) => {
    const at = `capabilities.${index}`
    return [
      ...problem(!unknownMaterials.has(materialCode), `${at}.materialCode`, 'material', materialCode),
      ...problem(processTypes.has(technologyId), `${at}.technologyId`, 'technology', technologyId),
      ...standardCodes.flatMap((code, position) =>
        problem(!unknownStandards.has(code), `${at}.standardCodes.${position}`, 'standard', code),
      ),
      ...criticalityIds.flatMap((id, position) =>
        problem(!unknownCriticalities.has(id), `${at}.criticalityIds.${position}`, 'criticality', id),
      ),
    ]
  })
}

/** The stored capabilities: process types of the technologies, lists without duplicates, equal capabilities once. */
export function capabilitiesOf(
  sent: readonly CapabilityInput[],
  { processTypes }: Pick<ResolvedCapabilities, 'processTypes'>,
): Capability[] {
  const distinct = new Map<string, Capability>()
  for (const { materialCode, technologyId, standardCodes = [], criticalityIds = [], maxEnvelope } of sent) {
    const processType = processTypes.get(technologyId)
    if (processType === undefined) throw new Error(`the technology ${technologyId} is not resolved`)
    const { x, y, z } = maxEnvelope ?? {}
    const capability: Capability = {
      materialCode,
      technologyId,
      standardCodes: [...new Set(standardCodes)],
      criticalityIds: [...new Set(criticalityIds)],
      processType,
      // An envelope without a limit is not stored.
      ...(maxEnvelope && [x, y, z].some((limit) => limit !== undefined) ? { maxEnvelope } : {}),
    }
    distinct.set(
      JSON.stringify([materialCode, technologyId, capability.standardCodes, capability.criticalityIds, x, y, z]),
      capability,
    )
  }
  return [...distinct.values()]
}

export type FactoryContent = Pick<Factory, 'name' | 'internal' | 'address'>

/** The content of a factory after a patch; fields that are not sent are kept. */
export const patchedContent = ({ name, internal, address }: Factory, patch: FactoryPatch): FactoryContent => ({
  name: patch.name ?? name,
  internal: patch.internal ?? internal,
  address: patch.address ?? address,
})
