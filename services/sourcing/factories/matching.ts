import type { Static } from '@sinclair/typebox'
import type { Capability, Factory } from '../../../proto/http/sourcing/factories.ts'
import type { RequirementMatch, RequirementMiss } from '../../../proto/http/sourcing/matches.ts'
import type { BoundingBox } from '../../../proto/http/sourcing/part-fields.ts'
import type { MeasuredBox } from '../../../proto/http/sourcing/previews.ts'

type Box = Static<typeof BoundingBox>

export interface Requirements {
  /** The material of the part, or all materials of its type; empty for a part with neither. */
  materialCodes: readonly string[]
  /** Empty if any technology will do. */
  technologyIds: readonly string[]
  standardCodes: readonly string[]
  criticalityIds: readonly string[]
  /** The extent of the part in millimetres. */
  boundingBox?: Box | undefined
  /** The extent of its newest model, for a part that states none. */
  measuredBox?: MeasuredBox | undefined
  /** Whether the consumer is engaged through a distributor, which must have released the factory. */
  needsRelease: boolean
}

type Requirement = RequirementMatch['requirement']

type MatchedFactory = Pick<Factory, 'capabilities'>

const AXES = ['x', 'y', 'z'] as const

const missingOf = (wanted: readonly string[], held: readonly string[]) => wanted.filter((one) => !held.includes(one))

const extentsOf = (envelope: Box) => AXES.map((axis) => ({ axis, most: envelope[axis] ?? Number.POSITIVE_INFINITY }))

/**
 * The axes along which an envelope is too small, with the missing lengths. A stated box is compared in the orientation
 * of its drawing; a missing axis of either is not compared. A measured box is compared in any orientation: largest
 * with largest.
 */
function excessesOf({ boundingBox = {}, measuredBox }: Requirements, { maxEnvelope = {} }: Capability) {
  const extents = extentsOf(maxEnvelope)
  const isMeasured = measuredBox && !isStated(boundingBox)
  const needed = isMeasured
    ? Object.values(measuredBox).toSorted((a, b) => b - a)
    : AXES.map((axis) => boundingBox[axis] ?? 0)
  const compared = isMeasured ? extents.toSorted((a, b) => (b.most === a.most ? 0 : b.most - a.most)) : extents
  return compared.flatMap(({ axis, most }, at) => {
    const excess = (needed[at] ?? 0) - most
    return excess > 0 ? [{ axis, excess }] : []
  })
}

const isStated = (box: Box) => AXES.some((axis) => box[axis] !== undefined)

const exceededAxes = (requirements: Requirements, capability: Capability) =>
  excessesOf(requirements, capability)
    .map(({ axis }) => axis)
    .toSorted()

/** How a measured part fits an envelope. */
function fitOf(requirements: Requirements, capability: Capability): Pick<RequirementMatch, 'fit'> {
  const { boundingBox = {}, measuredBox } = requirements
  if (!measuredBox || isStated(boundingBox)) return {}
  const excess = Math.max(0, ...excessesOf(requirements, capability).map((one) => one.excess))
  const { maxEnvelope: envelope } = capability
  return {
    fit: {
      box: measuredBox,
      ...(envelope ? { envelope } : {}),
      ...(excess > 0 ? { excess: Math.round(excess * 1000) / 1000 } : {}),
    },
  }
}

/** The requirements that a single capability meets as a whole. */
const OF_CAPABILITY = {
  standards: {
    isWanted: ({ standardCodes }: Requirements) => standardCodes.length > 0,
    lacks: ({ standardCodes }: Requirements, capability: Capability) =>
      missingOf(standardCodes, capability.standardCodes),
    miss: 'LACKING',
  },
  criticalities: {
    isWanted: ({ criticalityIds }: Requirements) => criticalityIds.length > 0,
    lacks: ({ criticalityIds }: Requirements, capability: Capability) =>
      missingOf(criticalityIds, capability.criticalityIds),
    miss: 'LACKING',
  },
  envelope: {
    isWanted: ({ boundingBox = {}, measuredBox }: Requirements) => isStated(boundingBox) || measuredBox !== undefined,
    lacks: exceededAxes,
    miss: 'TOO_SMALL',
  },
} as const
const OF_CAPABILITY_NAMES = Object.keys(OF_CAPABILITY) as (keyof typeof OF_CAPABILITY)[]

/**
 * Each requirement of a part with the capability that meets it, or the reason why none does. Requirements that the part
 * does not have are omitted. Material and technology may be met by different capabilities, as in the list of factories.
 * Standards, criticalities and envelope are those of the capabilities that work the material with a technology of the
 * part, or else of those that work the material: a standard of another material does not count. Of several capabilities
 * that meet a requirement, the one that lacks the fewest of the others is named.
 */
export function matchesOf(
  factory: MatchedFactory,
  requirements: Requirements,
  { released }: { released: boolean },
): RequirementMatch[] {
  const { materialCodes, technologyIds, needsRelease } = requirements
  const inMaterial = factory.capabilities.filter(({ materialCode }) => materialCodes.includes(materialCode))
  const inTechnology = factory.capabilities.filter(({ technologyId }) => technologyIds.includes(technologyId))
  const suitable = technologyIds.length === 0 ? inMaterial : inMaterial.filter((one) => inTechnology.includes(one))
  const candidates = leastLackingFirst(suitable.length > 0 ? suitable : inMaterial, requirements)
  return [
    ...(needsRelease
      ? [released ? { requirement: 'released' as const, met: true } : missed('released', { code: 'NOT_RELEASED' })]
      : []),
    byCapability('material', candidates, materialMiss(materialCodes)),
    ...(technologyIds.length > 0
      ? [
          byCapability('technology', suitable.length > 0 ? candidates : inTechnology, {
            code: 'NO_CAPABILITY',
            values: [...technologyIds],
          }),
        ]
      : []),
    ...OF_CAPABILITY_NAMES.filter((name) => OF_CAPABILITY[name].isWanted(requirements)).map((name) =>
      best(name, candidates, requirements),
    ),
  ]
}

const leastLackingFirst = (capabilities: readonly Capability[], requirements: Requirements): Capability[] =>
  capabilities
    .map((capability) => ({
      capability,
      lacking: OF_CAPABILITY_NAMES.reduce(
        (sum, name) => sum + OF_CAPABILITY[name].lacks(requirements, capability).length,
        0,
      ),
    }))
    .toSorted((a, b) => a.lacking - b.lacking)
    .map(({ capability }) => capability)

const missed = (requirement: Requirement, miss: RequirementMiss): RequirementMatch => ({
  requirement,
  met: false,
  reason: reasonOf(requirement, miss),
  miss,
})

/** A miss as an English sentence. */
function reasonOf(
  requirement: Requirement,
  { code, technologyId, materialCode, values = [] }: RequirementMiss,
): string {
  if (code === 'NOT_RELEASED') return 'the distributor has not released the factory'
  if (code === 'PART_WITHOUT_MATERIAL') return 'the part names no material'
  if (code === 'MATERIAL_NOT_COVERED') return 'no capability covers the material'
  if (code === 'NO_CAPABILITY') {
    return `no capability ${requirement === 'technology' ? 'uses' : 'covers'} ${values.join(' or ')}`
  }
  const verb = code === 'LACKING' ? 'lacks' : 'is too small along'
  return `${technologyId} of ${materialCode} ${verb} ${values.join(', ')}`
}

const byCapability = (
  requirement: Requirement,
  [capability]: readonly Capability[],
  miss: RequirementMiss,
): RequirementMatch => (capability ? { requirement, met: true, capability } : missed(requirement, miss))

const materialMiss = (codes: readonly string[]): RequirementMiss =>
  codes.length === 0 ? { code: 'PART_WITHOUT_MATERIAL' } : { code: 'NO_CAPABILITY', values: [...codes] }

/** The first capability that lacks nothing, or what the one that lacks the least lacks. */
function best(
  requirement: keyof typeof OF_CAPABILITY,
  capabilities: readonly Capability[],
  requirements: Requirements,
): RequirementMatch {
  const { lacks, miss } = OF_CAPABILITY[requirement]
  const [closest] = capabilities
    .map((capability) => ({ capability, lacking: lacks(requirements, capability) }))
    .toSorted((a, b) => a.lacking.length - b.lacking.length)
  if (!closest) return missed(requirement, { code: 'MATERIAL_NOT_COVERED' })
  const { capability, lacking } = closest
  const fit = requirement === 'envelope' ? fitOf(requirements, capability) : {}
  if (lacking.length === 0) return { requirement, met: true, capability, ...fit }
  const { materialCode, technologyId } = capability
  return { ...missed(requirement, { code: miss, materialCode, technologyId, values: [...lacking] }), ...fit }
}
