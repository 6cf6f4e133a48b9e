import { DAY_MS, dayOf, timeAfter } from '../../../proto/durations.ts'
import { type FieldError, problem } from '../../../proto/errors.ts'
import {
  type ChangeRequest,
  type ChangeRequestInput,
  MAX_CHANGE_REQUESTS,
  type Side,
} from '../../../proto/http/sourcing/change-requests.ts'
import type { Order } from '../../../proto/http/sourcing/orders.ts'
import { MAX_PIECES } from '../../../proto/http/sourcing/shipments.ts'
import type { Permission } from '../../../proto/permissions.ts'
import type { CHANGE_REQUEST } from '../../../proto/states/change-requests.ts'
import { ORDER } from '../../../proto/states/orders.ts'
import type { Guards } from '../../../proto/states/state-table.ts'

export const TOO_MANY = `Each side proposes at most ${MAX_CHANGE_REQUESTS} changes of an order.`
export const ALREADY_PROPOSED = 'Your side has a PROPOSED change request. Withdraw it first.'

/** The permission with which each side proposes and decides. */
export const PERMISSION_OF: Readonly<Record<Side, Permission>> = {
  CONSUMER: 'rfq:award',
  MANUFACTURER: 'order:confirm',
}

const UNANSWERED_DAYS = 14
const OVERDUE_DAYS = 30

/** A request to cancel takes effect if it was made before a time, and the order was due before a day. */
export const silenceAt = (now: string) => ({
  before: timeAfter(now, -UNANSWERED_DAYS * DAY_MS),
  dueBefore: dayOf(timeAfter(now, -OVERDUE_DAYS * DAY_MS)),
})

/** Combinations that the schema cannot express. */
export function combinationProblems({ cancel, fee, quantity, dueDate, unitPrice }: ChangeRequestInput): FieldError[] {
  const changes = Object.entries({ quantity, dueDate, unitPrice }).filter(([, value]) => value !== undefined)
  if (cancel) return changes.map(([field]) => problem(field, 'must not be sent with cancel'))
  if (fee !== undefined) return [problem('fee', 'must be sent with cancel')]
  return changes.length > 0 ? [] : [problem('body', 'must have quantity, dueDate, unitPrice or cancel')]
}

/** Values that do not fit the order: another currency, or nothing new. */
export function valueProblems(
  { quantity, dueDate, unitPrice, fee, cancel }: ChangeRequestInput,
  order: Order,
  compare: (amount: string, other: string) => number,
): FieldError[] {
  const { currency } = order.unitPrice
  const currencies = Object.entries({ unitPrice, fee }).flatMap(([field, money]) =>
    money && money.currency !== currency
      ? [problem(`${field}.currency`, `must be ${currency}, the currency of the order`)]
      : [],
  )
  if (currencies.length > 0) return currencies
  const isSame =
    !cancel &&
    (quantity ?? order.quantity) === order.quantity &&
    (dueDate ?? order.dueDate) === order.dueDate &&
    (unitPrice === undefined || compare(unitPrice.amount, order.unitPrice.amount) === 0)
  return isSame ? [problem('body', 'must differ from the order')] : []
}

/** The values of the order that a request would change. */
export const previousOf = (
  { quantity, dueDate, unitPrice }: ChangeRequestInput,
  order: Order,
): ChangeRequest['previous'] => ({
  ...(quantity !== undefined && { quantity: order.quantity }),
  ...(dueDate !== undefined && { dueDate: order.dueDate }),
  ...(unitPrice !== undefined && { unitPrice: order.unitPrice }),
})

interface Facts {
  change: Pick<ChangeRequest, 'quantity' | 'dueDate'>
  /** Whether the fee is at most the value of what is cancelled. */
  isFeeWithinLimit: boolean
  feeLimit: string
  order: Order
  now: string
}

/** The guards of the state table. They also hold for a new request. */
export const GUARDS = {
  orderIsChangeable: ({ order }) =>
    ORDER.isLegal('change', order.state) ? undefined : ORDER.refusal('change', order.state),
  quantityCoversShipments: ({ change: { quantity }, order: { shippedQuantity = 0, remadeQuantity = 0 } }) =>
    quantity === undefined || quantity + remadeQuantity >= shippedQuantity
      ? []
      : [problem('quantity', `must be at least ${shippedQuantity - remadeQuantity}, the pieces that are shipped`)],
  piecesAreCountable: ({ change: { quantity }, order: { remadeQuantity = 0 } }) =>
    (quantity ?? 0) + remadeQuantity <= MAX_PIECES
      ? []
      : [problem('quantity', `must be at most ${MAX_PIECES} together with the pieces that are made again`)],
  feeIsCovered: ({ isFeeWithinLimit, feeLimit }) =>
    isFeeWithinLimit ? [] : [problem('fee', `must be at most ${feeLimit}, the value of what is cancelled`)],
  dueDateIsNotPast: ({ change: { dueDate }, now }) =>
    dueDate === undefined || dueDate >= dayOf(now) ? [] : [problem('dueDate', 'must not be in the past')],
} satisfies Guards<typeof CHANGE_REQUEST.verbs, 'accept', Facts>

/** The quantities after a change; none to ship, none on order: the order is cancelled. */
interface Quantities {
  quantity: number
  remadeQuantity: number
}

/**
 * The quantities after a cancellation of what is not shipped: pieces that were to be made again come first, then
 * ordered ones.
 */
export function withoutUnshipped({ quantity, shippedQuantity = 0, remadeQuantity = 0 }: Order): Quantities {
  const left = quantity + remadeQuantity - shippedQuantity
  const remade = Math.max(0, remadeQuantity - left)
  return { quantity: shippedQuantity - remade, remadeQuantity: remade }
}
