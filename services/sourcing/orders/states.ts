import type { OrderState } from '../../../proto/http/sourcing/orders.ts'

/** The roles of an order whose organizations use verbs. */
export type Actor = 'manufacturer' | 'seller' | 'consumer' | 'ipOwner'

interface Transition {
  from: readonly OrderState[]
  /** The state afterwards. `held`: the state before ON_HOLD. Without one the state stays. */
  to?: OrderState | 'held'
  /** The organizations of the order that may use the verb. */
  by: readonly Actor[]
}

/** The state machine of an order. Every command looks its verb up here. */
export const ORDER_TRANSITIONS = {
  confirm: { from: ['PLACED'], to: 'CONFIRMED', by: ['manufacturer'] },
  decline: { from: ['PLACED'], to: 'DECLINED', by: ['manufacturer'] },
  cancel: { from: ['PLACED', 'CONFIRMED'], to: 'CANCELLED', by: ['consumer'] },
  start: { from: ['CONFIRMED'], to: 'IN_PRODUCTION', by: ['manufacturer'] },
  inspect: { from: ['IN_PRODUCTION'], to: 'INSPECTION', by: ['manufacturer'] },
  rework: { from: ['INSPECTION'], to: 'IN_PRODUCTION', by: ['manufacturer'] },
  ship: { from: ['INSPECTION'], to: 'SHIPPED', by: ['manufacturer'] },
  deliver: { from: ['SHIPPED'], to: 'DELIVERED', by: ['manufacturer', 'seller', 'consumer'] },
  complete: { from: ['DELIVERED'], to: 'COMPLETED', by: ['consumer'] },
  hold: { from: ['CONFIRMED', 'IN_PRODUCTION', 'INSPECTION'], to: 'ON_HOLD', by: ['manufacturer'] },
  resume: { from: ['ON_HOLD'], to: 'held', by: ['manufacturer'] },
  milestones: { from: ['CONFIRMED', 'IN_PRODUCTION', 'INSPECTION', 'SHIPPED', 'ON_HOLD'], by: ['manufacturer'] },
  releaseFiles: {
    from: ['PLACED', 'CONFIRMED', 'IN_PRODUCTION', 'INSPECTION', 'SHIPPED', 'ON_HOLD'],
    by: ['ipOwner'],
  },
} as const satisfies Record<string, Transition>

export type OrderVerb = keyof typeof ORDER_TRANSITIONS

/** Whether a verb may be used in a state. */
export const isLegal = (verb: OrderVerb, state: OrderState): boolean =>
  (ORDER_TRANSITIONS[verb].from as readonly OrderState[]).includes(state)

/** The state that follows a verb. */
export function stateAfter(verb: OrderVerb, state: OrderState, heldState: OrderState | null): OrderState {
  const { to = state }: Transition = ORDER_TRANSITIONS[verb]
  if (to !== 'held') return to
  if (heldState === null) throw new Error('an order on hold has a state to return to')
  return heldState
}

/** The state to which an order returns from the state `after`; null if it is not on hold. */
export const heldStateAfter = (state: OrderState, after: OrderState, heldState: OrderState | null) => {
  if (after !== 'ON_HOLD') return null
  return state === 'ON_HOLD' ? heldState : state
}

/** The states that no verb leaves. */
export const FINAL_STATES: readonly OrderState[] = ['COMPLETED', 'DECLINED', 'CANCELLED']
