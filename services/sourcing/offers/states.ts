import type { OfferState } from '../../../proto/http/sourcing/offers.ts'

/** The conditions of a verb; `rules.ts` has a function for each. */
export type OfferGuard =
  | 'rfqIsOpen'
  | 'isInvited'
  | 'factoryIsActive'
  | 'factoryIsReleased'
  | 'isStillValid'
  | 'hasNoDraftRevision'

interface Transition {
  from: readonly OfferState[]
  /** The state afterwards. Without one the state stays. */
  to?: OfferState
  guards: readonly OfferGuard[]
  /** The organization that may use the verb. `rfq`: a command on the RFQ or on a revision. `worker`: no request has it. */
  by: 'manufacturer' | 'consumer' | 'rfq' | 'worker'
}

/**
 * The state machine of an offer. Every command and the worker look their verb up here. An offer is SUBMITTED only while its
 * RFQ is OPEN or CLOSED, because the cancellation and the award of the RFQ end its submitted offers.
 */
export const OFFER_TRANSITIONS = {
  patch: { from: ['DRAFT'], guards: [], by: 'manufacturer' },
  submit: {
    from: ['DRAFT'],
    to: 'SUBMITTED',
    guards: ['rfqIsOpen', 'isInvited', 'factoryIsActive', 'factoryIsReleased', 'isStillValid'],
    by: 'manufacturer',
  },
  revise: { from: ['SUBMITTED'], guards: ['rfqIsOpen', 'hasNoDraftRevision'], by: 'manufacturer' },
  withdraw: { from: ['SUBMITTED'], to: 'WITHDRAWN', guards: [], by: 'manufacturer' },
  reject: { from: ['SUBMITTED'], to: 'REJECTED', guards: [], by: 'consumer' },
  supersede: { from: ['SUBMITTED'], to: 'SUPERSEDED', guards: [], by: 'rfq' },
  award: { from: ['SUBMITTED'], to: 'ACCEPTED', guards: ['isStillValid'], by: 'rfq' },
  rejectOther: { from: ['SUBMITTED'], to: 'REJECTED', guards: [], by: 'rfq' },
  expire: { from: ['SUBMITTED'], to: 'EXPIRED', guards: [], by: 'worker' },
} as const satisfies Record<string, Transition>

export type OfferVerb = keyof typeof OFFER_TRANSITIONS

/** Whether a verb may be used in a state, apart from its guards. */
export const isLegal = (verb: OfferVerb, state: OfferState): boolean =>
  (OFFER_TRANSITIONS[verb].from as readonly OfferState[]).includes(state)

/** The state at a time: a SUBMITTED offer whose validity has passed counts as EXPIRED before the worker has seen it. */
export const stateAt = ({ state, validUntil }: { state: OfferState; validUntil: string }, now: string): OfferState =>
  state === 'SUBMITTED' && validUntil <= now ? OFFER_TRANSITIONS.expire.to : state
