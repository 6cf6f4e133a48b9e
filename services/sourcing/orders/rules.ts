import type { Milestone, Order } from '../../../proto/http/sourcing/orders.ts'
import { utcOf } from '../../../proto/http/times.ts'
import type { ORDER, OrderState } from '../../../proto/states/orders.ts'
import type { Guards } from '../../../proto/states/state-table.ts'

export type OrderVerb = keyof typeof ORDER.verbs

/** The milestones with times as the API shows them. */
export const milestonesOf = (sent: readonly Milestone[]): Milestone[] =>
  sent.map(({ name, plannedTime, completedTime }) => ({
    name,
    ...(plannedTime === undefined ? {} : { plannedTime: utcOf(plannedTime) }),
    ...(completedTime === undefined ? {} : { completedTime: utcOf(completedTime) }),
  }))

/** The verbs that count pieces, whose guards are in the feature of shipments. */
type PieceVerb =
  | 'addShipment'
  | 'ship'
  | 'shipLast'
  | 'deliver'
  | 'arrive'
  | 'complete'
  | 'settle'
  | 'remake'
  | 'acceptRemake'
  | 'declineRemake'

/** The verbs that only move the state. */
export type OrderMove = Exclude<
  OrderVerb,
  PieceVerb | 'change' | 'endByChange' | 'milestones' | 'releaseFiles' | 'updateFiles' | 'removeFiles'
>

/** The guards of the state table. */
export const GUARDS = {
  isHeldFromConfirmed: ({ heldState }: { heldState: OrderState | null }) =>
    heldState === null || heldState === 'CONFIRMED'
      ? undefined
      : `The order is on hold from ${heldState}. Propose to cancel it by a change request.`,
  filesAreNotReleased: ({ filesReleasedTime }: Pick<Order, 'filesReleasedTime'>) =>
    filesReleasedTime === undefined ? undefined : 'The files are already released.',
  nothingIsShipped: ({ shippedQuantity = 0 }: Pick<Order, 'shippedQuantity'>) =>
    shippedQuantity === 0 ? undefined : 'Documents of a shipment are superseded, not removed.',
} satisfies Guards<typeof ORDER.verbs, Exclude<OrderVerb, PieceVerb>, never>

/** The state to which an order returns from the state `after`; null if it is not on hold. */
export const heldStateAfter = (state: OrderState, after: OrderState, heldState: OrderState | null) => {
  if (after !== 'ON_HOLD') return null
  return state === 'ON_HOLD' ? heldState : state
}
