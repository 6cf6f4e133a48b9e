import type { FieldError } from '../../../proto/errors.ts'
import { noSuch, oneOf } from '../../../proto/messages.ts'
import { OFFER, type OfferState } from '../../../proto/states/offers.ts'
import type { RfqState } from '../../../proto/states/rfqs.ts'
import type { OfferedFactory } from '../offers/rules.ts'
import { stateAt as offerStateAt } from '../offers/rules.ts'

/** An offer in a request, with the number of pieces to order. */
export interface Award {
  offerId: string
  quantity: number
}

/** The names of the fields of a request, for its problems. */
export interface Fields {
  offer(index: number): string
  quantity(index: number): string
  /** The field of the sum of the quantities. */
  quantities: string
}

/** Fields of an award of an RFQ. */
export const AWARD_FIELDS: Fields = {
  offer: (index) => `awards.${index}.offerId`,
  quantity: (index) => `awards.${index}.quantity`,
  quantities: 'awards',
}

/** Fields of the acceptance of one offer. */
export const ACCEPT_FIELDS: Fields = { offer: () => 'id', quantity: () => 'quantity', quantities: 'quantity' }

const problem = (field: string, message: string): FieldError => ({ field, message })

/** Offers that are named twice, or are not of the RFQ. The message does not say whether such an offer exists. */
export function referenceProblems(awards: readonly Award[], known: ReadonlySet<string>, fields: Fields): FieldError[] {
  const seen = new Set<string>()
  return awards.flatMap(({ offerId }, index) => {
    if (!known.has(offerId)) return [problem(fields.offer(index), noSuch('submitted offer', offerId, 'for this RFQ'))]
    if (seen.has(offerId)) return [problem(fields.offer(index), 'is a duplicate')]
    seen.add(offerId)
    return []
  })
}

export const unknownSeller = (id: string): FieldError => problem('sellerOrgId', noSuch('seller', id))

/**
 * Whether the consumer does not see the prices yet. Such an RFQ cannot be awarded: otherwise the refusals of trial
 * awards would disclose the quantities of the price breaks.
 */
export const isConcealed = ({ sealed }: { sealed: boolean }, state: RfqState): boolean => sealed && state === 'OPEN'

/** The facts that the conditions of an award compare. */
interface AwardFacts {
  /** The largest quantity that the RFQ asks for. */
  largestQuantity: number
  partExists: boolean
  lines: readonly {
    quantity: number
    offer: { state: OfferState; validUntil: string; priceBreaks: readonly { minQuantity: number }[] }
    factory: OfferedFactory | undefined
  }[]
  now: string
}

/** The unmet conditions of an award, each with its field. */
export function awardProblems({ largestQuantity, partExists, lines, now }: AwardFacts, fields: Fields): FieldError[] {
  const quantities = lines.reduce((sum, { quantity }) => sum + quantity, 0)
  return [
    ...(partExists ? [] : [problem('partId', 'no longer exists')]),
    ...lines.flatMap(({ quantity, offer, factory }, index) => [
      ...offerProblems(offer, fields.offer(index), now),
      ...factoryProblems(factory, fields.offer(index)),
      ...quantityProblems(quantity, offer, fields.quantity(index)),
    ]),
    ...(quantities <= largestQuantity
      ? []
      : [
          problem(
            fields.quantities,
            `must be at most ${largestQuantity} pieces together, the largest quantity of the RFQ`,
          ),
        ]),
  ]
}

function offerProblems(offer: { state: OfferState; validUntil: string }, field: string, now: string): FieldError[] {
  const state = offerStateAt(offer, now)
  return OFFER.isLegal('accept', state) ? [] : [problem(field, `is ${state}, not ${oneOf(OFFER.verbs.accept.from)}`)]
}

function factoryProblems(factory: OfferedFactory | undefined, field: string): FieldError[] {
  if (!factory?.isActive) return [problem(field, 'is of a factory that is no longer active')]
  return factory.needsRelease && !factory.isReleased
    ? [problem(field, 'is of a factory that is no longer released to your organization')]
    : []
}

function quantityProblems(
  quantity: number,
  { priceBreaks }: { priceBreaks: readonly { minQuantity: number }[] },
  field: string,
): FieldError[] {
  const smallest = Math.min(...priceBreaks.map(({ minQuantity }) => minQuantity))
  return quantity >= smallest
    ? []
    : [problem(field, `must be at least ${smallest}, the smallest quantity of the offer`)]
}
