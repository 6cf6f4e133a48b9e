import { StateTable } from './state-table.ts'

export const RFQ_STATES = ['DRAFT', 'OPEN', 'CLOSED', 'AWARDED', 'CANCELLED'] as const
export type RfqState = (typeof RFQ_STATES)[number]

/**
 * `pricesAreVisible`: a sealed RFQ is CLOSED, because trial awards would disclose the price breaks.
 * `offersAreAcceptable`: each awarded offer may be accepted. `quantitiesAreRequested`: together, the awards have at
 * most the largest quantity. `returnAward`: every order of the award was declined or cancelled. `quantitiesAreMissing`:
 * together, the awards have at most the pieces of declined and cancelled orders. `sellerHasAgreements`: the named
 * seller has an active agreement with each other manufacturer. `sellerFeeIsExpected`: its fee is the one that the
 * consumer expects. `partIsInternal`: confidentiality terms need an internal part. `mayReleaseFiles`: only with terms,
 * and for an own part. `haveAccepted`: the named manufacturers have accepted the terms and not declined.
 * `deliveryFollowsExpiry`: the requested day of delivery is not before the day (UTC) of the expiry. `isInvited`: the
 * invitation was not declined. An IP owner that is invited itself asks, and does not clarify.
 */
export const RFQ = new StateTable({
  record: 'RFQ',
  states: RFQ_STATES,
  initial: 'DRAFT',
  verbs: {
    patch: { from: ['DRAFT'], by: ['consumer'] },
    updateFiles: { from: ['DRAFT'], by: ['consumer'] },
    publish: {
      from: ['DRAFT'],
      to: 'OPEN',
      by: ['consumer'],
      guards: [
        'hasInvitee',
        'inviteesQualify',
        'hasQuantities',
        'expiresInFuture',
        'partIsAvailable',
        'partIsInternal',
        'mayReleaseFiles',
        'deliveryFollowsExpiry',
      ],
    },
    invite: { from: ['DRAFT', 'OPEN'], by: ['consumer'], guards: ['partIsAvailable'] },
    amend: {
      from: ['OPEN'],
      by: ['consumer'],
      guards: [
        'hasInvitee',
        'inviteesQualify',
        'hasQuantities',
        'isNotShortened',
        'expiresInADay',
        'partIsAvailable',
        'deliveryFollowsExpiry',
      ],
    },
    extend: { from: ['OPEN'], by: ['consumer'], guards: ['expiresLater'] },
    close: { from: ['OPEN'], to: 'CLOSED', by: ['consumer'] },
    expire: { from: ['OPEN'], to: 'CLOSED', by: ['marketplace'] },
    reopen: {
      from: ['CLOSED'],
      to: 'OPEN',
      by: ['consumer'],
      guards: ['expiresInFuture', 'partIsAvailable', 'partIsInternal'],
    },
    award: {
      from: ['OPEN', 'CLOSED'],
      to: 'AWARDED',
      by: ['consumer'],
      guards: [
        'pricesAreVisible',
        'partExists',
        'offersAreAcceptable',
        'quantitiesAreRequested',
        'sellerHasAgreements',
        'sellerFeeIsExpected',
      ],
    },
    returnAward: { from: ['AWARDED'], to: 'CLOSED', by: ['marketplace'] },
    reaward: {
      from: ['AWARDED'],
      by: ['consumer'],
      guards: [
        'partExists',
        'offersAreAcceptable',
        'quantitiesAreMissing',
        'sellerHasAgreements',
        'sellerFeeIsExpected',
      ],
    },
    lapse: { from: ['CLOSED'], to: 'CANCELLED', by: ['marketplace'] },
    cancel: { from: ['DRAFT', 'OPEN', 'CLOSED'], to: 'CANCELLED', by: ['consumer'] },
    delete: { from: ['DRAFT'], to: 'DELETED', by: ['consumer'] },
    decline: { from: ['OPEN'], by: ['invitee'], guards: ['invitationIsUnanswered'] },
    acceptTerms: { from: ['OPEN'], by: ['invitee'], guards: ['hasTerms', 'isNotDeclined', 'isNotAccepted'] },
    releaseFiles: {
      from: ['OPEN', 'CLOSED'],
      by: ['ipOwner'],
      guards: ['hasTerms', 'isNoInvitee', 'isWithinRelease', 'haveAccepted'],
    },
    withdrawFiles: { from: ['OPEN', 'CLOSED', 'AWARDED'], by: ['ipOwner'] },
    ask: { from: ['OPEN'], by: ['invitee'], guards: ['isInvited'] },
    clarify: { from: ['OPEN', 'CLOSED'], by: ['consumer', 'ipOwner'] },
  },
})
