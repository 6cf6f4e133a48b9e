import { duplicateFinder, type FieldError, problem } from '../../../proto/errors.ts'
import { MAX_ORDERS } from '../../../proto/http/sourcing/awards.ts'
import { noSuch, oneOf } from '../../../proto/messages.ts'
import { OFFER, type OfferState } from '../../../proto/states/offers.ts'
import type { RFQ, RfqState } from '../../../proto/states/rfqs.ts'
import type { Guards } from '../../../proto/states/state-table.ts'
import type { OfferedFactory } from '../offers/rules.ts'
import { stateAt as offerStateAt } from '../offers/rules.ts'

/** An offer in a request, with the number of pieces to order. */
export interface Award {
  offerId: string
  quantity: number
  purchaseOrderNumber?: string | undefined
}

/** The names of the fields of a request, for its problems. */
export interface FieldNames {
  offer(index: number): string
  quantity(index: number): string
  /** The field of the sum of the quantities. */
  quantities: string
}

/** Fields of an award of an RFQ. */
export const AWARD_FIELDS: FieldNames = {
  offer: (index) => `awards.${index}.offerId`,
  quantity: (index) => `awards.${index}.quantity`,
  quantities: 'awards',
}

/** Fields of the acceptance of one offer. */
export const ACCEPT_FIELDS: FieldNames = { offer: () => 'id', quantity: () => 'quantity', quantities: 'quantity' }

/** Offers that a request names twice; in a package, for the same RFQ. */
export function duplicateProblems({ awards }: { awards: readonly { rfqId?: string; offerId: string }[] }) {
  const duplicate = duplicateFinder()
  return awards.flatMap(({ rfqId, offerId }, index) => duplicate(`awards.${index}.offerId`, `${rfqId} ${offerId}`))
}

/** Offers that are not of the RFQ. The message does not say whether such an offer exists. */
export const referenceProblems = (
  awards: readonly Award[],
  known: ReadonlySet<string>,
  fields: FieldNames,
): FieldError[] =>
  awards.flatMap(({ offerId }, index) =>
    known.has(offerId) ? [] : [problem(fields.offer(index), noSuch('submitted offer', offerId, 'for this RFQ'))],
  )

export const TOO_MANY_ORDERS = `An RFQ has at most ${MAX_ORDERS} orders, with those that were declined or cancelled.`

export const unknownSeller = (id: string): FieldError => problem('sellerOrgId', noSuch('seller', id))

/**
 * Whether the consumer does not see the prices yet. Such an RFQ cannot be awarded: otherwise the refusals of trial
 * awards would disclose the quantities of the price breaks.
 */
export const isConcealed = ({ sealed }: { sealed: boolean }, state: RfqState): boolean => sealed && state === 'OPEN'

/** An offer with the number of pieces to order. */
interface AwardLine {
  quantity: number
  offer: {
    state: OfferState
    validUntil: string
    priceBreaks: readonly { minQuantity: number }[]
    isOutdated: boolean
    /** The version of the RFQ that it is for. */
    rfqVersion: number
  }
  factory: OfferedFactory | undefined
}

/** The facts that the guards of an award compare. */
interface AwardFacts {
  isConcealed: boolean
  /** Missing pieces of an awarded RFQ are placed, also with offers that were awarded before. */
  isReaward: boolean
  /** The pieces of declined and cancelled orders. */
  missingQuantity: number
  /** The largest quantity that the RFQ asks for. */
  largestQuantity: number
  partExists: boolean
  rfqVersion: number
  /** Fees of the agreements that differ from the expected one. */
  otherFees: readonly string[]
  /** Manufacturers of the award with which the named seller has no agreement. */
  withoutAgreement: readonly string[]
  lines: readonly AwardLine[]
  fields: FieldNames
  now: string
}

/** An offer that is to be accepted, and the names of its fields. */
interface AcceptFacts extends AwardLine {
  offerField: string
  quantityField: string
  /** The version of the RFQ. */
  rfqVersion: number
}

/** The guards of the state table of offers for `accept`. */
const ACCEPT_GUARDS = {
  isCurrent: ({ offer, offerField, rfqVersion }) =>
    offer.isOutdated
      ? [
          problem(
            offerField,
            `is for version ${offer.rfqVersion} of the RFQ, which has version ${rfqVersion} now: it must be reconfirmed or revised`,
          ),
        ]
      : [],
  factoryIsStillActive: ({ factory, offerField }) =>
    factory?.isActive ? [] : [problem(offerField, 'is of a factory that is no longer active')],
  factoryIsStillReleased: ({ factory, offerField }) =>
    factory?.isActive && factory.needsRelease && !factory.isReleased
      ? [problem(offerField, 'is of a factory that is no longer released to your organization')]
      : [],
  quantityIsOffered({ quantity, offer, quantityField }) {
    const smallest = Math.min(...offer.priceBreaks.map(({ minQuantity }) => minQuantity))
    return quantity >= smallest
      ? []
      : [problem(quantityField, `must be at least ${smallest}, the smallest quantity of the offer`)]
  },
} satisfies Guards<typeof OFFER.verbs, 'accept', AcceptFacts>

/** Why an offer cannot be accepted: its state, then its guards. */
function acceptProblems(line: AcceptFacts, now: string, isReaward: boolean): readonly FieldError[] {
  const state = offerStateAt(line.offer, now)
  const refused = OFFER.problems('accept', ACCEPT_GUARDS, line) as readonly FieldError[]
  if (isReaward && state === 'ACCEPTED') {
    return line.offer.validUntil > now ? refused : [problem(line.offerField, 'is no longer valid'), ...refused]
  }
  return OFFER.isLegal('accept', state)
    ? refused
    : [problem(line.offerField, `is ${state}, not ${oneOf(OFFER.verbs.accept.from)}`), ...refused]
}

/** The guards of the state table of RFQs for `award`. */
export const GUARDS = {
  pricesAreVisible: ({ isConcealed }) =>
    isConcealed ? 'The RFQ is sealed and OPEN. Close it, compare the prices, then award it.' : undefined,
  partExists: ({ partExists }) => (partExists ? [] : [problem('partId', 'no longer exists')]),
  offersAreAcceptable: ({ lines, rfqVersion, fields, now, isReaward }) =>
    lines.flatMap((line, index) =>
      acceptProblems(
        { ...line, rfqVersion, offerField: fields.offer(index), quantityField: fields.quantity(index) },
        now,
        isReaward,
      ),
    ),
  quantitiesAreRequested: ({ lines, largestQuantity, fields }) =>
    lines.reduce((sum, { quantity }) => sum + quantity, 0) <= largestQuantity
      ? []
      : [
          problem(
            fields.quantities,
            `must be at most ${largestQuantity} pieces together, the largest quantity of the RFQ`,
          ),
        ],
  sellerFeeIsExpected: ({ otherFees }) =>
    otherFees.map((percent) => problem('sellerFeePercent', `is ${percent} in the agreement`)),
  sellerHasAgreements: ({ withoutAgreement }) =>
    withoutAgreement.map((orgId) => problem('sellerOrgId', `has no active sales agreement with \`${orgId}\``)),
  quantitiesAreMissing: ({ lines, missingQuantity, fields }) =>
    lines.reduce((sum, { quantity }) => sum + quantity, 0) <= missingQuantity
      ? []
      : [problem(fields.quantities, `must be at most ${missingQuantity} pieces together, those that are missing`)],
} satisfies Guards<typeof RFQ.verbs, 'award' | 'reaward', AwardFacts>
