import type { Static } from '@sinclair/typebox'
import type { Capability, Factory } from '../../../proto/http/sourcing/factories.ts'
import type { RequirementMatch, RequirementMiss } from '../../../proto/http/sourcing/matches.ts'
import type { BoundingBox } from '../../../proto/http/sourcing/part-fields.ts'
import type { Part } from '../../../proto/http/sourcing/parts.ts'

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
  /** Whether the consumer is engaged through a distributor, which must have released the factory. */
  needsRelease: boolean
}

type Requirement = RequirementMatch['requirement']

type MatchedFactory = Pick<Factory, 'capabilities'>

const MM_PER_INCH = 25.4

const AXES = ['x', 'y', 'z'] as const

/** The extent of a part in millimetres. */
export function boxInMm(box: Box, unitSystem: Part['unitSystem']): Box {
  const scale = unitSystem === 'IMPERIAL' ? MM_PER_INCH : 1
  return Object.fromEntries(
    AXES.flatMap((axis) => {
      const extent = box[axis]
      return extent === undefined ? [] : [[axis, extent * scale]]
    }),
  )
}

const missingOf = (wanted: readonly string[], held: readonly string[]) => wanted.filter((one) => !held.includes(one))

/**
 * The axes along which a part is larger than an envelope. The part is compared in the orientation of its drawing. A
 * missing axis of either is not compared.
 */
const exceededAxes = ({ boundingBox = {} }: Requirements, { maxEnvelope = {} }: Capability) =>
  AXES.filter((axis) => (boundingBox[axis] ?? 0) > (maxEnvelope[axis] ?? Number.POSITIVE_INFINITY))

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
    isWanted: ({ boundingBox = {} }: Requirements) => AXES.some((axis) => boundingBox[axis] !== undefined),
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
  if (lacking.length === 0) return { requirement, met: true, capability }
  const { materialCode, technologyId } = capability
  return missed(requirement, { code: miss, materialCode, technologyId, values: [...lacking] })
}
