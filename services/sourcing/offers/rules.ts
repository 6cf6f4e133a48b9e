import { type FieldError, problem } from '../../../proto/errors.ts'
import {
  MAX_LIVE_OFFERS,
  MAX_OFFERS,
  type Offer,
  type OfferInput,
  type OfferPatch,
} from '../../../proto/http/sourcing/offers.ts'
import { utcOf } from '../../../proto/http/times.ts'
import { noSuch } from '../../../proto/messages.ts'
import { OFFER, type OfferState } from '../../../proto/states/offers.ts'
import type { RfqState } from '../../../proto/states/rfqs.ts'
import type { Guards } from '../../../proto/states/state-table.ts'

/** The factory of an offer, as its guards see it. */
export interface OfferedFactory {
  isActive: boolean
  /** The consumer is engaged through a distributor, so it sources only from factories that are released to it. */
  needsRelease: boolean
  /** The consumer may source from the factory. */
  isReleased: boolean
}

/** The facts that the guards compare. */
export interface GuardFacts {
  rfqState: RfqState
  /** The state of the invitation, which a decline ends. */
  invitationState: string
  /** Whether the manufacturer still has to accept the confidentiality terms of the RFQ. */
  awaitsAcceptance: boolean
  /** Undefined: the manufacturer has no such factory. */
  factory: OfferedFactory | undefined
  validUntil: string
  hasDraftRevision: boolean
  /** Whether the RFQ was amended since the offer was submitted. */
  isOutdated: boolean
  /** Whether the manufacturer is asked to reinstate the offer. */
  isAskedFor: boolean
  /** Whether the RFQ has the version for which the offer was submitted. */
  isForCurrentVersion: boolean
  /** The quantities of the RFQ. */
  quantities: readonly number[]
  priceBreaks: readonly { minQuantity: number }[]
  /** Whether the RFQ is sealed. */
  isSealed: boolean
  now: string
}

type OfferVerb = keyof typeof OFFER.verbs

/** The guards of the verbs of manufacturers. Those of `accept` are in the feature of awards. */
export const GUARDS = {
  rfqIsOpen: ({ rfqState }: Pick<GuardFacts, 'rfqState'>) =>
    rfqState === 'OPEN' ? [] : [problem('rfqId', `is ${rfqState}, not OPEN`)],
  isInvited: ({ invitationState }: Pick<GuardFacts, 'invitationState'>) =>
    invitationState === 'DECLINED' ? [problem('rfqId', 'is declined by your organization')] : [],
  termsAreAccepted: ({ awaitsAcceptance }: Pick<GuardFacts, 'awaitsAcceptance'>) =>
    awaitsAcceptance ? [problem('rfqId', 'has confidentiality terms that your organization has not accepted')] : [],
  factoryIsActive: ({ factory }: GuardFacts) => (factory?.isActive ? [] : [problem('factoryId', 'must be active')]),
  factoryIsReleased: ({ factory }: GuardFacts) =>
    factory?.needsRelease && !factory.isReleased ? [problem('factoryId', 'must be released to the consumer')] : [],
  isStillValid: ({ validUntil, now }: GuardFacts) =>
    validUntil > now ? [] : [problem('validUntil', 'must be in the future')],
  isOutdated: ({ isOutdated }: GuardFacts) =>
    isOutdated ? undefined : 'The offer is for the current version of the RFQ.',
  isAskedFor: ({ isAskedFor, rfqState }: GuardFacts) =>
    isAskedFor && rfqState !== 'CANCELLED' ? undefined : 'The offer is not asked for.',
  isForCurrentVersion: ({ isForCurrentVersion }: GuardFacts) =>
    isForCurrentVersion ? undefined : 'The RFQ was amended since. Make a new offer.',
  pricesEveryQuantity: ({ priceBreaks, quantities }: GuardFacts) => {
    const smallest = Math.min(...priceBreaks.map(({ minQuantity }) => minQuantity))
    return quantities.every((quantity) => quantity >= smallest)
      ? []
      : [problem('priceBreaks', `must have a price for ${Math.min(...quantities)} pieces: revise the offer`)]
  },
  isNotOpenedBid: ({ isSealed, rfqState, isOutdated }: Pick<GuardFacts, 'isSealed' | 'rfqState' | 'isOutdated'>) =>
    isSealed && (rfqState === 'CLOSED' || rfqState === 'AWARDED') && !isOutdated
      ? 'The sealed RFQ has closed, so its offers are binding until their validity ends.'
      : undefined,
  hasNoDraftRevision: ({ hasDraftRevision }: GuardFacts) =>
    hasDraftRevision ? [problem('revision', 'exists already as a draft')] : [],
} satisfies Guards<typeof OFFER.verbs, Exclude<OfferVerb, 'accept'>, GuardFacts>

/** Why an offer cannot be drafted. */
export const invitationProblems = (
  facts: Pick<GuardFacts, 'rfqState' | 'invitationState' | 'awaitsAcceptance'>,
): FieldError[] => [...GUARDS.rfqIsOpen(facts), ...GUARDS.isInvited(facts), ...GUARDS.termsAreAccepted(facts)]

/** The state at a time: a SUBMITTED offer whose validity has passed counts as EXPIRED before the worker has seen it. */
export const stateAt = ({ state, validUntil }: { state: OfferState; validUntil: string }, now: string): OfferState =>
  state === 'SUBMITTED' && validUntil <= now ? OFFER.verbs.expire.to : state

/** The offers of an organization for an RFQ: those in DRAFT or SUBMITTED, and those in every state. */
export interface OfferCount {
  live: number
  all: number
}

/** Whether an organization may draft an offer, or submit an ended one again. */
export const hasRoom = ({ live, all }: OfferCount, isNew: boolean): boolean =>
  live < MAX_LIVE_OFFERS && (!isNew || all < MAX_OFFERS)

export const unknownRfq = (id: string): FieldError =>
  problem('rfqId', noSuch('RFQ', id, 'to which your organization is invited'))

export const unknownFactory = (id: string): FieldError =>
  problem('factoryId', noSuch('factory', id, 'of your organization'))

/** Price breaks with the same quantity. */
export const priceBreakProblems = ({ priceBreaks = [] }: OfferInput | OfferPatch): FieldError[] =>
  priceBreaks.flatMap(({ minQuantity }, index) =>
    priceBreaks.findIndex((other) => other.minQuantity === minQuantity) < index
      ? [problem(`priceBreaks.${index}.minQuantity`, 'must differ from those of the other price breaks')]
      : [],
  )

/** Amounts in another currency than that of the RFQ. */
export function currencyProblems(
  { priceBreaks = [], toolingCost, shippingCost }: OfferInput | OfferPatch,
  currency: string,
): FieldError[] {
  const amounts = [
    ...priceBreaks.map(({ unitPrice }, index) => [`priceBreaks.${index}.unitPrice`, unitPrice] as const),
    ['toolingCost', toolingCost] as const,
    ['shippingCost', shippingCost] as const,
  ]
  return amounts.flatMap(([field, money]) =>
    money && money.currency !== currency
      ? [problem(`${field}.currency`, `must be ${currency}, the currency of the RFQ`)]
      : [],
  )
}

/** The stored content of an offer: price breaks in ascending order, times in UTC. */
export const contentOf = ({
  validUntil,
  priceBreaks,
  toolingCost,
  shippingCost,
  factoryId,
  reference,
  paymentTerms,
  notes,
}: Omit<OfferInput, 'rfqId'>) => ({
  factoryId,
  priceBreaks: priceBreaks
    .map(({ minQuantity, unitPrice, leadTimeDays }) => ({ minQuantity, unitPrice: unitPrice.amount, leadTimeDays }))
    .sort((a, b) => a.minQuantity - b.minQuantity),
  toolingCost: toolingCost?.amount ?? null,
  shippingCost: shippingCost?.amount ?? null,
  validUntil: utcOf(validUntil),
  reference: reference ?? null,
  paymentTerms: paymentTerms ?? null,
  notes: notes ?? null,
})
export type OfferContent = ReturnType<typeof contentOf>

/** The JSON of an offer for its manufacturer, which always has the prices. */
export type OwnOffer = Offer & Required<Pick<Offer, 'priceBreaks'>>

/** The content after a patch: sent fields replace the stored ones, null clears a field. */
export function patchedContent(offer: OwnOffer, patch: OfferPatch): OfferContent {
  const merged = Object.entries({ ...offer, ...patch }).filter(([, value]) => value !== null)
  return contentOf(Object.fromEntries(merged) as unknown as OfferInput)
}
