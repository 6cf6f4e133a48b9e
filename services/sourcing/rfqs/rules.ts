import { DAY_MS } from '../../../proto/durations.ts'
import { type FieldError, problem } from '../../../proto/errors.ts'
import { inOrderOf } from '../../../proto/http/shapes.ts'
import type { Amendment, InvitationInput } from '../../../proto/http/sourcing/rfq-lifecycle.ts'
import { MAX_AMENDMENTS, MAX_INVITEES, type Rfq, RfqInput, type RfqPatch } from '../../../proto/http/sourcing/rfqs.ts'
import { utcOf } from '../../../proto/http/times.ts'
import { noSuch } from '../../../proto/messages.ts'
import { RFQ, type RfqState } from '../../../proto/states/rfqs.ts'
import type { Guards } from '../../../proto/states/state-table.ts'

/** The organizations of a published RFQ, each once. */
export const partiesOf = ({
  consumerOrgId,
  ipOwnerOrgId,
  manufacturerIds,
}: Pick<Rfq, 'consumerOrgId' | 'ipOwnerOrgId' | 'manufacturerIds'>): string[] => [
  ...new Set([consumerOrgId, ipOwnerOrgId, ...manufacturerIds]),
]

/** The organizations that read a change of an RFQ: all but the manufacturers that do not. */
export const readersOfChange = (
  rfq: Pick<Rfq, 'consumerOrgId' | 'ipOwnerOrgId' | 'manufacturerIds'>,
  unaware: readonly { org_id: string }[],
): string[] => {
  const ids = new Set(unaware.map(({ org_id: id }) => id))
  return partiesOf(rfq).filter((id) => !ids.has(id) || hasOtherRole(rfq, id))
}

/** The facts that the guards compare. */
interface GuardFacts {
  quantities: readonly number[]
  manufacturerIds: readonly string[]
  /** The organizations with these ids. */
  invitees: readonly Invitee[]
  /** The expiry before the verb. */
  expireTime: string
  /** The expiry after the verb. */
  newExpireTime: string
  /** Whether the consumer could ask for quotations of the part now. */
  isPartAvailable: boolean
  isPartInternal: boolean
  /** The requested day of delivery after the verb. */
  requestedDeliveryDate?: string | undefined
  confidentialityTerms?: string | undefined
  releaseFiles?: boolean | undefined
  consumerOrgId: string
  ipOwnerOrgId: string
  now: string
}

export type ConsumerVerb = Exclude<
  keyof typeof RFQ.verbs,
  'award' | 'reaward' | 'decline' | 'ask' | 'clarify' | 'acceptTerms' | 'releaseFiles' | 'withdrawFiles'
>

/** The guards of the verbs of consumers but `award` and `clarify`, which other features have. */
export const GUARDS = {
  hasInvitee: ({ manufacturerIds }) =>
    manufacturerIds.length > 0 ? [] : [problem('manufacturerIds', 'must name a manufacturer')],
  inviteesQualify: ({ manufacturerIds, invitees }) => inviteeProblems(manufacturerIds, invitees),
  hasQuantities: ({ quantities }) => (quantities.length > 0 ? [] : [problem('quantities', 'must contain a quantity')]),
  expiresInFuture: ({ newExpireTime, now }) =>
    newExpireTime > now ? [] : [problem('expireTime', 'must be in the future')],
  isNotShortened: ({ newExpireTime, expireTime }) =>
    newExpireTime >= expireTime ? [] : [problem('expireTime', 'must not be earlier than the current expiry')],
  expiresInADay: ({ newExpireTime, now }) =>
    Date.parse(newExpireTime) >= Date.parse(now) + DAY_MS
      ? []
      : [problem('expireTime', 'must be at least 24 hours away')],
  expiresLater: ({ newExpireTime, expireTime }) =>
    newExpireTime > expireTime ? [] : [problem('expireTime', 'must be later than the current expiry')],
  partIsAvailable: ({ isPartAvailable }) =>
    isPartAvailable ? [] : [problem('partId', 'is no longer available to your organization')],
  partIsInternal: ({ confidentialityTerms, isPartAvailable, isPartInternal }) =>
    confidentialityTerms !== undefined && isPartAvailable && !isPartInternal
      ? [problem('confidentialityTerms', 'needs an internal part')]
      : [],
  mayReleaseFiles: ({ releaseFiles, confidentialityTerms, consumerOrgId, ipOwnerOrgId }) => {
    if (!releaseFiles) return []
    if (confidentialityTerms === undefined) return [problem('releaseFiles', 'needs confidentialityTerms')]
    return releaseProblems({ releaseFiles }, [ipOwnerOrgId], consumerOrgId)
  },
  deliveryFollowsExpiry: ({ requestedDeliveryDate: day, newExpireTime }) =>
    day !== undefined && day < newExpireTime.slice(0, day.length)
      ? [problem('requestedDeliveryDate', 'must not be before the day of the expiry')]
      : [],
} satisfies Guards<typeof RFQ.verbs, ConsumerVerb, GuardFacts>

/** The guards of `decline`. */
export const DECLINE_GUARDS = {
  invitationIsUnanswered: ({ state }: { state: string }) =>
    state === 'INVITED' || state === 'READ' ? undefined : `The invitation is ${state}.`,
} satisfies Guards<typeof RFQ.verbs, 'decline', never>

/** The state at a time: an OPEN RFQ whose expiry has passed counts as CLOSED before the worker has closed it. */
export const stateAt = ({ state, expireTime }: { state: RfqState; expireTime: string }, now: string): RfqState =>
  state === 'OPEN' && expireTime <= now ? RFQ.verbs.expire.to : state

/** Whether an invited manufacturer is also the consumer or the IP owner, so that a decline does not end its case. */
export const hasOtherRole = (rfq: Pick<Rfq, 'consumerOrgId' | 'ipOwnerOrgId'>, orgId: string): boolean =>
  rfq.consumerOrgId === orgId || rfq.ipOwnerOrgId === orgId

/** An organization that a consumer invites. */
export interface Invitee {
  orgId: string
  isManufacturer: boolean
  /** The consumer is engaged through a distributor, so it sources only from factories that are released to it. */
  needsFactory: boolean
  /** The invitee has a factory from which the consumer may source. */
  hasFactory: boolean
}

const mayInvite = ({ isManufacturer, needsFactory, hasFactory }: Invitee) =>
  isManufacturer && (hasFactory || !needsFactory)

/** Sent ids that are unknown or of organizations that the consumer may not invite. Their messages do not differ. */
export function inviteeProblems(sent: readonly string[], invitees: readonly Invitee[]): FieldError[] {
  const allowed = new Set(invitees.filter(mayInvite).map(({ orgId }) => orgId))
  return sent.flatMap((id, index) =>
    allowed.has(id) ? [] : [problem(`manufacturerIds.${index}`, noSuch('manufacturer', id))],
  )
}

/** Problems of a request to invite that its schema cannot express. */
export const invitationProblems = ({ manufacturerIds, emails }: InvitationInput): FieldError[] =>
  manufacturerIds || emails ? [] : [problem('body', 'must have manufacturerIds or emails')]

export const hasTooManyAmendments = ({ version = 1 }: Pick<Rfq, 'version'>) => version > MAX_AMENDMENTS

export const hasTooManyInvitees = (manufacturerIds: readonly string[]) => manufacturerIds.length > MAX_INVITEES

/** The stored content of an RFQ: lists without duplicates, times in UTC, unsent lists empty, an unsent flag false. */
export const contentOf = (input: RfqInput) =>
  inOrderOf(RfqInput, {
    ...input,
    expireTime: utcOf(input.expireTime),
    quantities: [...new Set(input.quantities)],
    manufacturerIds: [...new Set(input.manufacturerIds)],
    ...(input.requiredDocuments ? { requiredDocuments: [...new Set(input.requiredDocuments)] } : {}),
    sealed: input.sealed ?? false,
  })
export type RfqContent = ReturnType<typeof contentOf>

/** Only the IP owner of every part releases files by the publication. */
export const releaseProblems = (
  { releaseFiles }: Pick<RfqInput, 'releaseFiles'>,
  ipOwnerOrgIds: readonly string[],
  consumerOrgId: string,
): FieldError[] =>
  releaseFiles && ipOwnerOrgIds.some((id) => id !== consumerOrgId)
    ? [problem('releaseFiles', 'needs a part of your organization')]
    : []

/** A delivery goes to the country of the RFQ. */
export const contentProblems = ({ delivery, deliveryRegionCode }: RfqContent): FieldError[] =>
  delivery && delivery.regionCode !== deliveryRegionCode
    ? [problem('delivery.regionCode', `must be ${deliveryRegionCode}, the deliveryRegionCode of the RFQ`)]
    : []

/** The content after an amendment, and that of an amendment of the expiry alone. */
export function amendedContent(rfq: Rfq, { reason, partRevision, files, ...patch }: Amendment) {
  const content = patchedContent(rfq, patch)
  const { expireTime } = content
  return { content, extended: { ...contentOf(writableFields(rfq)), expireTime } }
}

/** The content after a patch: sent fields replace the stored ones, null clears a field. */
export function patchedContent(rfq: Rfq, patch: Omit<RfqPatch, 'partId'> & { partId?: string }): RfqContent {
  const merged = Object.entries({ ...writableFields(rfq), ...patch }).filter(([, value]) => value !== null)
  return contentOf(Object.fromEntries(merged) as unknown as RfqInput)
}

/** An RFQ without the fields that the marketplace sets. */
export function writableFields(rfq: Rfq): RfqInput {
  const {
    id,
    serialNumber,
    consumerOrgId,
    ipOwnerOrgId,
    state,
    awardedOfferIds,
    partRevision,
    version,
    packageId,
    amendmentReason,
    partChanged,
    unansweredQuestions,
    reason,
    createdTime,
    updatedTime,
    invitation,
    ...writable
  } = rfq
  // The consumer, whose JSON this is, sees the whole delivery.
  return writable as RfqInput
}
