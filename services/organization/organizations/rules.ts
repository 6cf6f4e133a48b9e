import type { FieldError } from '../../../proto/errors.ts'
import type { OrgRole } from '../../../proto/permissions.ts'

export type Engagement = 'DIRECT' | 'DISTRIBUTOR'

/** How an organization is engaged: through a distributor, which is named then, or directly. */
export interface Terms {
  engagement: Engagement
  distributorOrgId: string | null
}

/** Without a word on it, naming a distributor is being engaged through it, and naming none is not. */
export const termsOf = ({
  engagement,
  distributorOrgId = null,
}: {
  engagement?: Engagement | undefined
  distributorOrgId?: string | null | undefined
}): Terms => ({ engagement: engagement ?? (distributorOrgId === null ? 'DIRECT' : 'DISTRIBUTOR'), distributorOrgId })

/** The terms after a change: a field that is not sent stays as it is, unless the other one says what it must be. */
export function changedTerms(
  current: Terms,
  {
    engagement,
    distributorOrgId,
  }: { engagement?: Engagement | undefined; distributorOrgId?: string | null | undefined },
): Terms {
  if (engagement === undefined && distributorOrgId === undefined) {
    return { engagement: current.engagement, distributorOrgId: current.distributorOrgId }
  }
  if (engagement === undefined) return termsOf({ distributorOrgId })
  if (distributorOrgId === undefined) {
    return { engagement, distributorOrgId: engagement === 'DIRECT' ? null : current.distributorOrgId }
  }
  return { engagement, distributorOrgId }
}

/** What is wrong with terms by themselves. */
export function termsProblem({ engagement, distributorOrgId }: Terms): FieldError | undefined {
  if (engagement === 'DISTRIBUTOR' && distributorOrgId === null) {
    return { field: 'distributorOrgId', message: 'is needed where the engagement is DISTRIBUTOR' }
  }
  if (engagement === 'DIRECT' && distributorOrgId !== null) {
    return { field: 'distributorOrgId', message: 'contradicts the engagement DIRECT' }
  }
  return undefined
}

/** An address that a browser opens, and nothing that only looks like one. */
export function websiteProblem(website: string | null | undefined): FieldError | undefined {
  if (website === undefined || website === null) return undefined
  const url = URL.canParse(website) ? new URL(website) : undefined
  const usable = url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  return usable
    ? undefined
    : { field: 'website', message: 'must be an address with http or https, without credentials' }
}

export const merged = (roles: readonly OrgRole[]): OrgRole[] => [...new Set(roles)]
