import { StateTable } from './state-table.ts'

export const OFFER_STATES = [
  'DRAFT',
  'SUBMITTED',
  'ACCEPTED',
  'REJECTED',
  'WITHDRAWN',
  'EXPIRED',
  'SUPERSEDED',
] as const
export type OfferState = (typeof OFFER_STATES)[number]

/**
 * An offer is SUBMITTED while its RFQ is OPEN or CLOSED, because the cancellation and the award of the RFQ end its
 * submitted offers; a reinstated one also while pieces of an AWARDED RFQ are missing. `isAskedFor`: an order of the
 * award was declined or cancelled. `isForCurrentVersion`: the RFQ was not amended since. `loseOrder`: the order of the
 * offer was. An offer whose validity has passed counts as EXPIRED. `isNotOpenedBid`: a current offer for a sealed RFQ
 * binds once the RFQ has closed. `factoryIsStillActive` does not hold for a binding offer whose manufacturer has
 * deactivated the factory: otherwise it could take the offer back.
 */
export const OFFER = new StateTable({
  record: 'offer',
  states: OFFER_STATES,
  initial: 'DRAFT',
  verbs: {
    patch: { from: ['DRAFT'], by: ['manufacturer'] },
    updateFiles: { from: ['DRAFT'], by: ['manufacturer'] },
    submit: {
      from: ['DRAFT'],
      to: 'SUBMITTED',
      by: ['manufacturer'],
      guards: ['rfqIsOpen', 'isInvited', 'termsAreAccepted', 'factoryIsActive', 'factoryIsReleased', 'isStillValid'],
    },
    reconfirm: {
      from: ['SUBMITTED'],
      by: ['manufacturer'],
      guards: ['isOutdated', 'rfqIsOpen', 'isInvited', 'factoryIsActive', 'factoryIsReleased', 'pricesEveryQuantity'],
    },
    revise: { from: ['SUBMITTED'], by: ['manufacturer'], guards: ['rfqIsOpen', 'hasNoDraftRevision'] },
    withdraw: { from: ['SUBMITTED'], to: 'WITHDRAWN', by: ['manufacturer'], guards: ['isNotOpenedBid'] },
    reject: { from: ['SUBMITTED'], to: 'REJECTED', by: ['consumer'] },
    supersede: { from: ['SUBMITTED'], to: 'SUPERSEDED', by: ['marketplace'] },
    accept: {
      from: ['SUBMITTED'],
      to: 'ACCEPTED',
      by: ['consumer'],
      guards: ['isCurrent', 'factoryIsStillActive', 'factoryIsStillReleased', 'quantityIsOffered'],
    },
    reinstate: {
      from: ['REJECTED'],
      to: 'SUBMITTED',
      by: ['manufacturer'],
      guards: [
        'isAskedFor',
        'isForCurrentVersion',
        'isInvited',
        'factoryIsActive',
        'factoryIsReleased',
        'isStillValid',
      ],
    },
    loseOrder: { from: ['ACCEPTED'], to: 'REJECTED', by: ['marketplace'] },
    rejectOther: { from: ['SUBMITTED'], to: 'REJECTED', by: ['marketplace'] },
    expire: { from: ['SUBMITTED'], to: 'EXPIRED', by: ['marketplace'] },
  },
})
