import type { Static } from '@sinclair/typebox'
import type { Capability, Factory } from '../../../proto/http/sourcing/factories.ts'
import type { BoundingBox } from '../../../proto/http/sourcing/parts.ts'
import { territoriesOf } from '../regions/regions.ts'

export interface Requirements {
  /** The material of the part, or all materials of its type; empty for a part with neither. */
  materialCodes: readonly string[]
  /** Empty if any technology will do. */
  technologyIds: readonly string[]
  standardCodes: readonly string[]
  criticalityIds: readonly string[]
  /** The extent of the part in millimetres. */
  boundingBox?: Static<typeof BoundingBox> | undefined
  /** A country or a containment region; undefined if any will do. */
  regionCode?: string | undefined
}

export const REQUIREMENTS = [
  'active',
  'released',
  'region',
  'material',
  'technology',
  'standards',
  'criticalities',
  'envelope',
] as const
export type Requirement = (typeof REQUIREMENTS)[number]

/** A requirement that is met, by a capability where it takes one, or the reason why it is not. */
export type Match =
  | { requirement: Requirement; met: true; capability?: Capability }
  | { requirement: Requirement; met: false; reason: string }

type MatchedFactory = Pick<Factory, 'active' | 'internal' | 'address' | 'capabilities'>

const missingOf = (wanted: readonly string[], held: readonly string[]) => wanted.filter((one) => !held.includes(one))

const AXES = ['x', 'y', 'z'] as const

/**
 * The axes along which a part is larger than an envelope. The part is not turned: its box has the orientation of its drawing.
 * A missing axis of either is not compared.
 */
const exceededAxes = ({ boundingBox = {} }: Requirements, { maxEnvelope = {} }: Capability) =>
  AXES.filter((axis) => (boundingBox[axis] ?? 0) > (maxEnvelope[axis] ?? Number.POSITIVE_INFINITY))

/**
 * Each requirement of a part with the capability that meets it, or the reason why none does. Material and technology may be
 * met by different capabilities, as in the list of factories. Standards, criticalities and envelope are those of the
 * capabilities that work the material with a technology of the part, or else of those that work the material: a standard of
 * another material does not count.
 */
export function matchesOf(
  factory: MatchedFactory,
  requirements: Requirements,
  { released }: { released: boolean },
): Match[] {
  const { materialCodes, technologyIds, standardCodes, criticalityIds } = requirements
  const inMaterial = factory.capabilities.filter(({ materialCode }) => materialCodes.includes(materialCode))
  const withTechnology = factory.capabilities.filter(
    ({ technologyId }) => technologyIds.length === 0 || technologyIds.includes(technologyId),
  )
  const suitable = inMaterial.filter((capability) => withTechnology.includes(capability))
  const among = suitable.length > 0 ? suitable : inMaterial
  return [
    plain('active', factory.active && !factory.internal, 'the factory is inactive or internal'),
    plain('released', released, 'the distributor has not released the factory'),
    regionMatch(factory, requirements),
    byCapability('material', inMaterial, materialReason(materialCodes)),
    byCapability('technology', withTechnology, `no capability uses ${technologyIds.join(' or ')}`),
    best('standards', among, (capability) => missingOf(standardCodes, capability.standardCodes), 'lacks'),
    best('criticalities', among, (capability) => missingOf(criticalityIds, capability.criticalityIds), 'lacks'),
    best('envelope', among, (capability) => exceededAxes(requirements, capability), 'is too small along'),
  ]
}

/** Whether the factory meets every requirement. */
export const qualifies = (matches: readonly Match[]): boolean => matches.every(({ met }) => met)

const plain = (requirement: Requirement, met: boolean, reason: string): Match =>
  met ? { requirement, met } : { requirement, met, reason }

const byCapability = (requirement: Requirement, [capability]: readonly Capability[], reason: string): Match =>
  capability ? { requirement, met: true, capability } : { requirement, met: false, reason }

function regionMatch({ address }: MatchedFactory, { regionCode }: Requirements): Match {
  const isInside = regionCode === undefined || territoriesOf(regionCode).includes(address.regionCode)
  return plain('region', isInside, `${address.regionCode} is not in ${regionCode}`)
}

const materialReason = (codes: readonly string[]) =>
  codes.length === 0 ? 'the part names no material' : `no capability works ${codes.join(' or ')}`

/** The first capability that lacks nothing, or what the one that lacks the least lacks. */
function best(
  requirement: Requirement,
  capabilities: readonly Capability[],
  lacksOf: (capability: Capability) => readonly string[],
  verb: string,
): Match {
  const [closest] = capabilities
    .map((capability) => ({ capability, lacks: lacksOf(capability) }))
    .toSorted((a, b) => a.lacks.length - b.lacks.length)
  if (!closest) return { requirement, met: false, reason: 'no capability works the material' }
  const { capability, lacks } = closest
  if (lacks.length === 0) return { requirement, met: true, capability }
  const of = `${capability.technologyId} of ${capability.materialCode}`
  return { requirement, met: false, reason: `${of} ${verb} ${lacks.join(', ')}` }
}
