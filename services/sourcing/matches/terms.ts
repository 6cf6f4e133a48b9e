import type { Factory } from '../../../proto/http/sourcing/factories.ts'
import type { Part } from '../../../proto/http/sourcing/parts.ts'
import { matchesOf, type Requirements } from '../factories/matching.ts'
import { boxInMm, type Measured } from '../renderings/rules.ts'

/** What the part of an RFQ asks of a factory. */
export interface MatchTerms {
  /** Set if the consumer is engaged through a distributor. */
  distributorOrgId: string | null
  /** Null if the consumer can no longer read the part. */
  part: PartTerms | null
  measured: Measured | null
}

interface PartTerms {
  materialCodes: string[]
  technologyIds: string[]
  standardCodes: string[]
  criticalityIds: string[]
  unitSystem: Part['unitSystem'] | null
  boundingBox: NonNullable<Part['boundingBox']>
}

export const requirementsOf = (
  { distributorOrgId, measured }: MatchTerms,
  { unitSystem, boundingBox, ...part }: PartTerms,
): Requirements => ({
  ...part,
  boundingBox: boxInMm(boundingBox, unitSystem ?? undefined),
  measuredBox: measured?.boundingBox,
  needsRelease: distributorOrgId !== null,
})

/** The JSON of a match. The list of factories has found the factory, so it is released where that is required. */
export function matchDocument(factoryDocument: string, requirements: Requirements): string {
  const factory: Factory = JSON.parse(factoryDocument)
  const matches = matchesOf(factory, requirements, { released: true })
  return `{"factory":${factoryDocument},"requirements":${JSON.stringify(matches)}}`
}
