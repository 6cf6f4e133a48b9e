import type { FieldError } from '../../../proto/errors.ts'

export type Engagement = 'DIRECT' | 'DISTRIBUTOR'

/** An organization is engaged directly or through a distributor. */
export interface EngagementTerms {
  engagement: Engagement
  distributorOrgId: string | null
}

/** The engagement defaults to DISTRIBUTOR if a distributor is given, else to DIRECT. */
export const termsOf = ({
  engagement,
  distributorOrgId = null,
}: {
  engagement?: Engagement | undefined
  distributorOrgId?: string | null | undefined
}): EngagementTerms => ({
  engagement: engagement ?? (distributorOrgId === null ? 'DIRECT' : 'DISTRIBUTOR'),
  distributorOrgId,
})

/** The terms after a change. A missing field keeps its value unless the other field determines it. */
export function changedTerms(
  current: EngagementTerms,
  {
    engagement,
    distributorOrgId,
  }: { engagement?: Engagement | undefined; distributorOrgId?: string | null | undefined },
): EngagementTerms {
  if (engagement === undefined && distributorOrgId === undefined) {
    return { engagement: current.engagement, distributorOrgId: current.distributorOrgId }
  }
  if (engagement === undefined) return termsOf({ distributorOrgId })
  if (distributorOrgId === undefined) {
    return { engagement, distributorOrgId: engagement === 'DIRECT' ? null : current.distributorOrgId }
  }
  return { engagement, distributorOrgId }
}

/** A contradiction between the two terms. */
export function termsProblem({ engagement, distributorOrgId }: EngagementTerms): FieldError | undefined {
  if (engagement === 'DISTRIBUTOR' && distributorOrgId === null) {
    return { field: 'distributorOrgId', message: 'is required when engagement is DISTRIBUTOR' }
  }
  if (engagement === 'DIRECT' && distributorOrgId !== null) {
    return { field: 'distributorOrgId', message: 'must not be set when engagement is DIRECT' }
  }
  return undefined
}

export function websiteProblem(website: string | null | undefined): FieldError | undefined {
  if (website === undefined || website === null) return undefined
  const url = URL.canParse(website) ? new URL(website) : undefined
  const usable = url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  return usable ? undefined : { field: 'website', message: 'must be an http or https URL without credentials' }
}

interface SentTerms {
  engagement?: Engagement | undefined
  distributorOrgId?: string | null | undefined
  website?: string | null | undefined
}

/** Problems of a new organization that need no database. */
export const creationProblems = (sent: SentTerms): FieldError[] =>
  [websiteProblem(sent.website), termsProblem(termsOf(sent))].filter((problem) => problem !== undefined)

/** Problems of a change that need no database: of its website, and of terms that contradict each other. */
export const patchProblems = ({ website, engagement, distributorOrgId }: SentTerms): FieldError[] =>
  engagement === undefined || distributorOrgId === undefined
    ? creationProblems({ website })
    : creationProblems({ website, engagement, distributorOrgId })
