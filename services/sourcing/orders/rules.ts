import { problem } from '../../../proto/errors.ts'
import type { DocumentKind } from '../../../proto/http/sourcing/document-kinds.ts'
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

/** The guards of the state table. */
export const GUARDS = {
  filesAreNotReleased: ({ filesReleasedTime }: Pick<Order, 'filesReleasedTime'>) =>
    filesReleasedTime === undefined ? undefined : 'The files are already released.',
  documentsAreReady: ({ missingKinds }: { missingKinds: readonly DocumentKind[] }) =>
    missingKinds.length === 0 ? [] : [problem('documents', `must include in state READY: ${missingKinds.join(', ')}`)],
} satisfies Guards<typeof ORDER.verbs, OrderVerb, never>

/** The state to which an order returns from the state `after`; null if it is not on hold. */
export const heldStateAfter = (state: OrderState, after: OrderState, heldState: OrderState | null) => {
  if (after !== 'ON_HOLD') return null
  return state === 'ON_HOLD' ? heldState : state
}
