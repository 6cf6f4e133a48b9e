import { StateTable } from './state-table.ts'

export const ORDER_STATES = [
  'PLACED',
  'CONFIRMED',
  'IN_PRODUCTION',
  'INSPECTION',
  'SHIPPED',
  'DELIVERED',
  'COMPLETED',
  'ON_HOLD',
  'DECLINED',
  'CANCELLED',
] as const
export type OrderState = (typeof ORDER_STATES)[number]

/** The states that no verb leaves. */
export const FINAL_ORDER_STATES: readonly OrderState[] = ['COMPLETED', 'DECLINED', 'CANCELLED']

/** The states from which the manufacturer ships. */
const MAKING = ['IN_PRODUCTION', 'INSPECTION'] as const

/**
 * `documentsAreReady`: manufacturer and seller have added each kind of document that the RFQ requires. `piecesAreLeft`:
 * a shipment has at most the pieces that are not shipped. `shipLast`: the last piece is shipped, or a change reduced
 * the quantity to what is shipped. `arrive`: every shipment of a SHIPPED order has arrived or been received.
 * `rejectionIsSettled`: no rejected piece is left that is not made again. `somethingIsRejected`,
 * `shipmentsAreReceived`: `settle` pays for the accepted pieces only. `rejectedPiecesAreLeft`: a remake has at most the
 * rejected pieces that are not made again. `piecesAreCountable`: ordered and remade pieces have a bound.
 * `isHeldFromConfirmed`: production has not begun. `change`: change requests; `endByChange` follows an accepted
 * cancellation. `updateFiles` adds documents; `removeFiles` is a removal by the organization that added them.
 * `nothingIsShipped`: documents of a shipment are superseded, not removed.
 */
export const ORDER = new StateTable({
  record: 'order',
  states: ORDER_STATES,
  initial: 'PLACED',
  verbs: {
    confirm: { from: ['PLACED'], to: 'CONFIRMED', by: ['manufacturer'] },
    decline: { from: ['PLACED'], to: 'DECLINED', by: ['manufacturer'] },
    cancel: {
      from: ['PLACED', 'CONFIRMED', 'ON_HOLD'],
      to: 'CANCELLED',
      by: ['consumer'],
      guards: ['isHeldFromConfirmed'],
    },
    start: { from: ['CONFIRMED'], to: 'IN_PRODUCTION', by: ['manufacturer'] },
    inspect: { from: ['IN_PRODUCTION'], to: 'INSPECTION', by: ['manufacturer'] },
    rework: { from: ['INSPECTION'], to: 'IN_PRODUCTION', by: ['manufacturer'] },
    ship: { from: ['INSPECTION'], to: 'SHIPPED', by: ['manufacturer'], guards: ['documentsAreReady'] },
    addShipment: { from: MAKING, by: ['manufacturer'], guards: ['documentsAreReady', 'piecesAreLeft'] },
    shipLast: { from: [...MAKING, 'ON_HOLD'], to: 'SHIPPED', by: ['marketplace'] },
    deliver: { from: ['SHIPPED'], to: 'DELIVERED', by: ['manufacturer', 'seller', 'consumer'] },
    arrive: { from: ['SHIPPED'], to: 'DELIVERED', by: ['marketplace'] },
    complete: { from: ['DELIVERED'], to: 'COMPLETED', by: ['consumer'], guards: ['rejectionIsSettled'] },
    settle: {
      from: [...MAKING, 'ON_HOLD', 'SHIPPED', 'DELIVERED'],
      to: 'COMPLETED',
      by: ['consumer'],
      guards: ['somethingIsRejected', 'shipmentsAreReceived'],
    },
    remake: {
      from: [...MAKING, 'SHIPPED', 'DELIVERED'],
      by: ['manufacturer'],
      guards: ['noRemakeIsProposed', 'rejectedPiecesAreLeft', 'piecesAreCountable'],
    },
    acceptRemake: {
      from: [...MAKING, 'SHIPPED', 'DELIVERED'],
      to: 'IN_PRODUCTION',
      by: ['consumer'],
      guards: ['remakeIsProposed'],
    },
    declineRemake: {
      from: [...MAKING, 'ON_HOLD', 'SHIPPED', 'DELIVERED'],
      by: ['consumer'],
      guards: ['remakeIsProposed'],
    },
    hold: { from: ['CONFIRMED', 'IN_PRODUCTION', 'INSPECTION'], to: 'ON_HOLD', by: ['manufacturer'] },
    resume: { from: ['ON_HOLD'], to: ['CONFIRMED', 'IN_PRODUCTION', 'INSPECTION'], by: ['manufacturer'] },
    milestones: { from: ['CONFIRMED', 'IN_PRODUCTION', 'INSPECTION', 'SHIPPED', 'ON_HOLD'], by: ['manufacturer'] },
    releaseFiles: {
      from: ['PLACED', 'CONFIRMED', 'IN_PRODUCTION', 'INSPECTION', 'SHIPPED', 'ON_HOLD'],
      by: ['ipOwner'],
      guards: ['filesAreNotReleased'],
    },
    change: { from: ['PLACED', 'CONFIRMED', ...MAKING, 'ON_HOLD'], by: ['consumer', 'manufacturer'] },
    endByChange: {
      from: ['PLACED', 'CONFIRMED', ...MAKING, 'ON_HOLD'],
      to: 'CANCELLED',
      by: ['marketplace'],
    },
    updateFiles: {
      from: ['PLACED', 'CONFIRMED', 'IN_PRODUCTION', 'INSPECTION', 'SHIPPED', 'DELIVERED', 'COMPLETED', 'ON_HOLD'],
      by: ['party'],
    },
    removeFiles: {
      from: ['PLACED', 'CONFIRMED', 'IN_PRODUCTION', 'INSPECTION', 'ON_HOLD'],
      by: ['party'],
      guards: ['nothingIsShipped'],
    },
  },
})
