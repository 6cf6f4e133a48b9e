import type { RfqState } from '../../../proto/http/sourcing/rfqs.ts'

/** The conditions of a verb; `rules.ts` has a function for each. */
export type RfqGuard =
  | 'hasInvitee'
  | 'inviteesQualify'
  | 'hasQuantities'
  | 'expiresInFuture'
  | 'expiresLater'
  | 'partIsAvailable'

interface Transition {
  from: readonly RfqState[]
  /** The state afterwards. Without one the state stays; DELETED is no record any more. */
  to?: RfqState | 'DELETED'
  guards: readonly RfqGuard[]
  /** The organization that may use the verb. `worker`: no request has it. */
  by: 'consumer' | 'manufacturer' | 'worker'
}

/** The state machine of an RFQ. Every command and the worker look their verb up here. */
export const RFQ_TRANSITIONS = {
  patch: { from: ['DRAFT'], guards: [], by: 'consumer' },
  publish: {
    from: ['DRAFT'],
    to: 'OPEN',
    guards: ['hasInvitee', 'inviteesQualify', 'hasQuantities', 'expiresInFuture', 'partIsAvailable'],
    by: 'consumer',
  },
  invite: { from: ['DRAFT', 'OPEN'], guards: ['partIsAvailable'], by: 'consumer' },
  extend: { from: ['OPEN'], guards: ['expiresLater'], by: 'consumer' },
  close: { from: ['OPEN'], to: 'CLOSED', guards: [], by: 'consumer' },
  expire: { from: ['OPEN'], to: 'CLOSED', guards: [], by: 'worker' },
  reopen: { from: ['CLOSED'], to: 'OPEN', guards: ['expiresInFuture', 'partIsAvailable'], by: 'consumer' },
  award: { from: ['OPEN', 'CLOSED'], to: 'AWARDED', guards: [], by: 'consumer' },
  cancel: { from: ['DRAFT', 'OPEN', 'CLOSED'], to: 'CANCELLED', guards: [], by: 'consumer' },
  delete: { from: ['DRAFT'], to: 'DELETED', guards: [], by: 'consumer' },
  decline: { from: ['OPEN'], guards: [], by: 'manufacturer' },
} as const satisfies Record<string, Transition>

export type RfqVerb = keyof typeof RFQ_TRANSITIONS

/** Whether a verb may be used in a state, apart from its guards. */
export const isLegal = (verb: RfqVerb, state: RfqState): boolean =>
  (RFQ_TRANSITIONS[verb].from as readonly RfqState[]).includes(state)

/** The state that follows a verb. */
export function stateAfter(verb: RfqVerb, state: RfqState): RfqState | 'DELETED' {
  const transition: Transition = RFQ_TRANSITIONS[verb]
  return transition.to ?? state
}

/** The state at a time: an OPEN RFQ whose expiry has passed counts as CLOSED before the worker has closed it. */
export const stateAt = ({ state, expireTime }: { state: RfqState; expireTime: string }, now: string): RfqState =>
  state === 'OPEN' && expireTime <= now ? RFQ_TRANSITIONS.expire.to : state
