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

/**
 * `documentsAreReady`: manufacturer and seller have added each kind of document that the RFQ requires. `updateFiles`
 * adds documents; `removeFiles` is a removal by the organization that added them.
 */
export const ORDER = new StateTable({
  record: 'order',
  states: ORDER_STATES,
  initial: 'PLACED',
  verbs: {
    confirm: { from: ['PLACED'], to: 'CONFIRMED', by: ['manufacturer'] },
    decline: { from: ['PLACED'], to: 'DECLINED', by: ['manufacturer'] },
    cancel: { from: ['PLACED', 'CONFIRMED'], to: 'CANCELLED', by: ['consumer'] },
    start: { from: ['CONFIRMED'], to: 'IN_PRODUCTION', by: ['manufacturer'] },
    inspect: { from: ['IN_PRODUCTION'], to: 'INSPECTION', by: ['manufacturer'] },
    rework: { from: ['INSPECTION'], to: 'IN_PRODUCTION', by: ['manufacturer'] },
    ship: { from: ['INSPECTION'], to: 'SHIPPED', by: ['manufacturer'], guards: ['documentsAreReady'] },
    deliver: { from: ['SHIPPED'], to: 'DELIVERED', by: ['manufacturer', 'seller', 'consumer'] },
    complete: { from: ['DELIVERED'], to: 'COMPLETED', by: ['consumer'] },
    hold: { from: ['CONFIRMED', 'IN_PRODUCTION', 'INSPECTION'], to: 'ON_HOLD', by: ['manufacturer'] },
    resume: { from: ['ON_HOLD'], to: ['CONFIRMED', 'IN_PRODUCTION', 'INSPECTION'], by: ['manufacturer'] },
    milestones: { from: ['CONFIRMED', 'IN_PRODUCTION', 'INSPECTION', 'SHIPPED', 'ON_HOLD'], by: ['manufacturer'] },
    releaseFiles: {
      from: ['PLACED', 'CONFIRMED', 'IN_PRODUCTION', 'INSPECTION', 'SHIPPED', 'ON_HOLD'],
      by: ['ipOwner'],
      guards: ['filesAreNotReleased'],
    },
    updateFiles: {
      from: ['PLACED', 'CONFIRMED', 'IN_PRODUCTION', 'INSPECTION', 'SHIPPED', 'DELIVERED', 'COMPLETED', 'ON_HOLD'],
      by: ['party'],
    },
    removeFiles: { from: ['PLACED', 'CONFIRMED', 'IN_PRODUCTION', 'INSPECTION', 'ON_HOLD'], by: ['party'] },
  },
})
