import { problem } from '../../../proto/errors.ts'
import type { RFQ } from '../../../proto/states/rfqs.ts'
import type { Guards } from '../../../proto/states/state-table.ts'

interface Terms {
  confidentialityTerms?: string | undefined
}

const hasTerms = ({ confidentialityTerms }: Terms) =>
  confidentialityTerms === undefined ? 'The RFQ has no confidentiality terms.' : undefined

/** The facts of an invitation whose manufacturer accepts the terms. */
interface AcceptanceFacts extends Terms {
  state: string
  awaitsAcceptance: boolean
}

export const ACCEPTANCE_GUARDS = {
  hasTerms,
  isNotDeclined: ({ state }) => (state === 'DECLINED' ? 'The invitation is DECLINED.' : undefined),
  isNotAccepted: ({ awaitsAcceptance }) =>
    awaitsAcceptance ? undefined : 'Your organization has accepted the terms already.',
} satisfies Guards<typeof RFQ.verbs, 'acceptTerms', AcceptanceFacts>

/** The facts of a release of files to named manufacturers. */
interface ReleaseFacts extends Terms {
  /** Whether the IP owner is invited to the RFQ of another consumer. */
  isInvitee: boolean
  /** Whether a release made now has not ended by the time since the RFQ was CLOSED. */
  isWithinRelease: boolean
  named: readonly string[]
  /** Those of the named manufacturers that have accepted the terms and have not declined. */
  accepted: ReadonlySet<string>
}

export const RELEASE_GUARDS = {
  hasTerms,
  isNoInvitee: ({ isInvitee }) =>
    isInvitee ? 'Your organization is invited to this RFQ itself, so it releases no files for it.' : undefined,
  isWithinRelease: ({ isWithinRelease }) =>
    isWithinRelease ? undefined : 'The RFQ has been closed for more than 30 days.',
  haveAccepted: ({ named, accepted }) =>
    named.flatMap((id, index) =>
      accepted.has(id)
        ? []
        : [problem(`manufacturerIds.${index}`, 'must have accepted the terms and not have declined the invitation')],
    ),
} satisfies Guards<typeof RFQ.verbs, 'releaseFiles', ReleaseFacts>

interface Parties {
  consumerOrgId: string
  ipOwnerOrgId: string
}

/** The organizations that are notified of acceptances and releases of manufacturers. */
export const readersOfAcceptance = (
  { consumerOrgId, ipOwnerOrgId }: Parties,
  ownerSeesAcceptances: boolean,
  manufacturerIds: readonly string[],
): string[] => [...new Set([...manufacturerIds, consumerOrgId, ...(ownerSeesAcceptances ? [ipOwnerOrgId] : [])])]
