import type { Part } from '../../proto/http/sourcing/parts.ts'
import type { CaseState } from '../../proto/states/cases.ts'
import type { ChangeRequestState } from '../../proto/states/change-requests.ts'
import type { OfferState } from '../../proto/states/offers.ts'
import type { OrderState } from '../../proto/states/orders.ts'
import type { QuestionState } from '../../proto/states/questions.ts'
import type { RfqState } from '../../proto/states/rfqs.ts'
import type { SalesAgreementState } from '../../proto/states/sales-agreements.ts'
import type { ShipmentState } from '../../proto/states/shipments.ts'
import type { SubscriptionState } from '../../proto/states/subscriptions.ts'

/*
 * The states of the marketplace, typed from its contract. Nothing is imported from the tables of the product: a test
 * that takes its expectation from them would pass with a wrong table.
 */

interface Verb<State extends string, Role extends string> {
  /** The organizations that may use the verb. For others the record is not found. */
  by: readonly Role[]
  /** The state after the verb by the state before it. The verb is refused in every other state. */
  moves: Partial<Record<State, State | 'DELETED' | 'HELD'>>
}
type Verbs<State extends string, Role extends string> = Record<string, Verb<State, Role>>

export const PART_VERBS = {
  patch: { by: ['ipOwner'], moves: { DRAFT: 'DRAFT', PUBLISHED: 'PUBLISHED', ARCHIVED: 'ARCHIVED' } },
  publish: { by: ['ipOwner'], moves: { DRAFT: 'PUBLISHED' } },
  archive: { by: ['ipOwner'], moves: { PUBLISHED: 'ARCHIVED' } },
  unarchive: { by: ['ipOwner'], moves: { ARCHIVED: 'PUBLISHED' } },
  delete: { by: ['ipOwner'], moves: { DRAFT: 'DELETED', PUBLISHED: 'DELETED', ARCHIVED: 'DELETED' } },
} as const satisfies Verbs<Part['state'], 'ipOwner'>

export const RFQ_VERBS = {
  patch: { by: ['consumer'], moves: { DRAFT: 'DRAFT' } },
  publish: { by: ['consumer'], moves: { DRAFT: 'OPEN' } },
  invite: { by: ['consumer'], moves: { DRAFT: 'DRAFT', OPEN: 'OPEN' } },
  amend: { by: ['consumer'], moves: { OPEN: 'OPEN' } },
  extend: { by: ['consumer'], moves: { OPEN: 'OPEN' } },
  close: { by: ['consumer'], moves: { OPEN: 'CLOSED' } },
  reopen: { by: ['consumer'], moves: { CLOSED: 'OPEN' } },
  award: { by: ['consumer'], moves: { OPEN: 'AWARDED', CLOSED: 'AWARDED' } },
  cancel: { by: ['consumer'], moves: { DRAFT: 'CANCELLED', OPEN: 'CANCELLED', CLOSED: 'CANCELLED' } },
  delete: { by: ['consumer'], moves: { DRAFT: 'DELETED' } },
  decline: { by: ['maker'], moves: { OPEN: 'OPEN' } },
} as const satisfies Verbs<RfqState, 'consumer' | 'maker'>

/** `ipOwner`: not invited itself. The RFQ has not ended; its end makes DISMISSED of ASKED. */
export const QUESTION_VERBS = {
  answer: { by: ['consumer', 'ipOwner'], moves: { ASKED: 'ANSWERED' } },
  dismiss: { by: ['consumer', 'ipOwner'], moves: { ASKED: 'DISMISSED' } },
} as const satisfies Verbs<QuestionState, 'consumer' | 'ipOwner'>

/** Before its expiry, which makes ENDED of REQUESTED and ACTIVE. */
export const SUBSCRIPTION_VERBS = {
  accept: { by: ['ipOwner'], moves: { REQUESTED: 'ACTIVE' } },
  decline: { by: ['ipOwner'], moves: { REQUESTED: 'DECLINED' } },
  delete: { by: ['consumer', 'ipOwner'], moves: { REQUESTED: 'ENDED', ACTIVE: 'ENDED' } },
} as const satisfies Verbs<SubscriptionState, 'consumer' | 'ipOwner'>

/** The states of an RFQ in which its invitees ask, and its consumer and IP owner clarify. */
export const ASK_FROM: readonly RfqState[] = ['OPEN']
export const CLARIFY_FROM: readonly RfqState[] = ['OPEN', 'CLOSED']

export const OFFER_VERBS = {
  patch: { by: ['maker'], moves: { DRAFT: 'DRAFT' } },
  submit: { by: ['maker'], moves: { DRAFT: 'SUBMITTED' } },
  reconfirm: { by: ['maker'], moves: { SUBMITTED: 'SUBMITTED' } },
  revise: { by: ['maker'], moves: { SUBMITTED: 'SUBMITTED' } },
  withdraw: { by: ['maker'], moves: { SUBMITTED: 'WITHDRAWN' } },
  accept: { by: ['consumer'], moves: { SUBMITTED: 'ACCEPTED' } },
  reject: { by: ['consumer'], moves: { SUBMITTED: 'REJECTED' } },
} as const satisfies Verbs<OfferState, 'maker' | 'consumer'>

/** A submitted revision supersedes an offer that is in one of these states. */
export const SUPERSEDED_FROM: readonly OfferState[] = ['SUBMITTED']
/** The cancellation of an RFQ, and its award to other offers, reject an offer in one of these states. */
export const REJECTED_FROM: readonly OfferState[] = ['SUBMITTED']

/** `HELD`: the state from which the order was put on hold. */
export const ORDER_VERBS = {
  confirm: { by: ['manufacturer'], moves: { PLACED: 'CONFIRMED' } },
  decline: { by: ['manufacturer'], moves: { PLACED: 'DECLINED' } },
  cancel: { by: ['consumer'], moves: { PLACED: 'CANCELLED', CONFIRMED: 'CANCELLED' } },
  start: { by: ['manufacturer'], moves: { CONFIRMED: 'IN_PRODUCTION' } },
  inspect: { by: ['manufacturer'], moves: { IN_PRODUCTION: 'INSPECTION' } },
  rework: { by: ['manufacturer'], moves: { INSPECTION: 'IN_PRODUCTION' } },
  ship: { by: ['manufacturer'], moves: { INSPECTION: 'SHIPPED' } },
  deliver: { by: ['manufacturer', 'seller', 'consumer'], moves: { SHIPPED: 'DELIVERED' } },
  complete: { by: ['consumer'], moves: { DELIVERED: 'COMPLETED' } },
  hold: {
    by: ['manufacturer'],
    moves: { CONFIRMED: 'ON_HOLD', IN_PRODUCTION: 'ON_HOLD', INSPECTION: 'ON_HOLD' },
  },
  resume: { by: ['manufacturer'], moves: { ON_HOLD: 'HELD' } },
  milestones: {
    by: ['manufacturer'],
    moves: {
      CONFIRMED: 'CONFIRMED',
      IN_PRODUCTION: 'IN_PRODUCTION',
      INSPECTION: 'INSPECTION',
      SHIPPED: 'SHIPPED',
      ON_HOLD: 'ON_HOLD',
    },
  },
  'release-files': {
    by: ['ipOwner'],
    moves: {
      PLACED: 'PLACED',
      CONFIRMED: 'CONFIRMED',
      IN_PRODUCTION: 'IN_PRODUCTION',
      INSPECTION: 'INSPECTION',
      SHIPPED: 'SHIPPED',
      ON_HOLD: 'ON_HOLD',
    },
  },
} as const satisfies Verbs<OrderState, 'manufacturer' | 'seller' | 'consumer' | 'ipOwner'>

/**
 * The verbs of orders that count pieces, of an order with rejected pieces and with pieces that are left. `settle` is
 * `complete` with a settlement; each shipment is received. A remake is proposed where it is decided.
 */
export const PIECE_VERBS = {
  shipments: { by: ['manufacturer'], moves: { IN_PRODUCTION: 'IN_PRODUCTION', INSPECTION: 'INSPECTION' } },
  settle: {
    by: ['consumer'],
    moves: {
      IN_PRODUCTION: 'COMPLETED',
      INSPECTION: 'COMPLETED',
      ON_HOLD: 'COMPLETED',
      SHIPPED: 'COMPLETED',
      DELIVERED: 'COMPLETED',
    },
  },
  remake: {
    by: ['manufacturer'],
    moves: {
      IN_PRODUCTION: 'IN_PRODUCTION',
      INSPECTION: 'INSPECTION',
      SHIPPED: 'SHIPPED',
      DELIVERED: 'DELIVERED',
    },
  },
  'accept-remake': {
    by: ['consumer'],
    moves: {
      IN_PRODUCTION: 'IN_PRODUCTION',
      INSPECTION: 'IN_PRODUCTION',
      SHIPPED: 'IN_PRODUCTION',
      DELIVERED: 'IN_PRODUCTION',
    },
  },
  'decline-remake': {
    by: ['consumer'],
    moves: {
      IN_PRODUCTION: 'IN_PRODUCTION',
      INSPECTION: 'INSPECTION',
      ON_HOLD: 'ON_HOLD',
      SHIPPED: 'SHIPPED',
      DELIVERED: 'DELIVERED',
    },
  },
} as const satisfies Verbs<OrderState, 'manufacturer' | 'consumer'>

export const SHIPMENT_VERBS = {
  receive: { by: ['consumer'], moves: { SHIPPED: 'RECEIVED', ARRIVED: 'RECEIVED' } },
} as const satisfies Verbs<ShipmentState, 'consumer'>

/** Of a change that the consumer has proposed. */
export const CHANGE_REQUEST_VERBS = {
  accept: { by: ['manufacturer'], moves: { PROPOSED: 'ACCEPTED' } },
  decline: { by: ['manufacturer'], moves: { PROPOSED: 'DECLINED' } },
  withdraw: { by: ['consumer'], moves: { PROPOSED: 'WITHDRAWN' } },
} as const satisfies Verbs<ChangeRequestState, 'manufacturer' | 'consumer'>

/** Of an agreement that the seller has proposed. */
export const AGREEMENT_VERBS = {
  accept: { by: ['manufacturer'], moves: { PROPOSED: 'ACTIVE' } },
  end: { by: ['manufacturer', 'seller'], moves: { PROPOSED: 'ENDED', ACTIVE: 'ENDED' } },
} as const satisfies Verbs<SalesAgreementState, 'manufacturer' | 'seller'>

/** The states in which the consumer places missing pieces, and in which a lost offer is reinstated. */
export const REAWARD_FROM: readonly RfqState[] = ['AWARDED']
export const REINSTATE_FROM: readonly OfferState[] = ['REJECTED']

/** The states in which the factory's organization reads released files of the group `ip`. */
export const LIVE_ORDER_STATES: readonly OrderState[] = [
  'CONFIRMED',
  'IN_PRODUCTION',
  'INSPECTION',
  'SHIPPED',
  'ON_HOLD',
]
/** The states that no verb leaves. */
export const FINAL_ORDER_STATES: readonly OrderState[] = ['COMPLETED', 'DECLINED', 'CANCELLED']

/** `closer`: the organization that closed the case. `edit` stands for a change of content, tasks and expenses. */
export const CASE_VERBS = {
  edit: { by: ['closer', 'party'], moves: { OPEN: 'OPEN' } },
  close: { by: ['closer', 'party'], moves: { OPEN: 'CLOSED' } },
  reopen: { by: ['closer'], moves: { CLOSED: 'OPEN' } },
  archive: { by: ['closer', 'party'], moves: { CLOSED: 'ARCHIVED' } },
  unarchive: { by: ['closer', 'party'], moves: { ARCHIVED: 'CLOSED' } },
} as const satisfies Verbs<CaseState, 'closer' | 'party'>

/** While the case is OPEN. */
export const TASK_VERBS = {
  patch: { by: ['creator'], moves: { OPEN: 'OPEN' } },
  assign: { by: ['assignee'], moves: { OPEN: 'OPEN' } },
  complete: { by: ['creator', 'party', 'assignee'], moves: { OPEN: 'COMPLETED' } },
  delete: { by: ['creator'], moves: { OPEN: 'DELETED', COMPLETED: 'DELETED' } },
} as const satisfies Verbs<'OPEN' | 'COMPLETED', 'creator' | 'party' | 'assignee'>

/** While the case is OPEN. `party`: another one than the creator, which gets 409 for a decision. */
export const EXPENSE_VERBS = {
  patch: { by: ['creator'], moves: { PROPOSED: 'PROPOSED', REJECTED: 'PROPOSED' } },
  approve: { by: ['party'], moves: { PROPOSED: 'APPROVED' } },
  reject: { by: ['party'], moves: { PROPOSED: 'REJECTED' } },
  delete: { by: ['creator'], moves: { PROPOSED: 'DELETED', REJECTED: 'DELETED' } },
} as const satisfies Verbs<'PROPOSED' | 'APPROVED' | 'REJECTED', 'creator' | 'party'>

/** The state after a verb; undefined where it is refused. */
export const after = (
  { moves }: { moves: Readonly<Partial<Record<string, string>>> },
  state: string,
  held?: string | null,
): string | undefined => (moves[state] === 'HELD' ? (held ?? undefined) : moves[state])
