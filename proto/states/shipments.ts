import { StateTable } from './state-table.ts'

export const SHIPMENT_STATES = ['SHIPPED', 'ARRIVED', 'RECEIVED'] as const
export type ShipmentState = (typeof SHIPMENT_STATES)[number]

/**
 * `arrive`: manufacturer or seller have recorded the arrival of the order. `receiveAll`: the consumer has recorded the
 * delivery of the order, or completed it.
 */
export const SHIPMENT = new StateTable({
  record: 'shipment',
  states: SHIPMENT_STATES,
  initial: 'SHIPPED',
  verbs: {
    receive: { from: ['SHIPPED', 'ARRIVED'], to: 'RECEIVED', by: ['consumer'] },
    arrive: { from: ['SHIPPED'], to: 'ARRIVED', by: ['marketplace'] },
    receiveAll: { from: ['SHIPPED', 'ARRIVED'], to: 'RECEIVED', by: ['marketplace'] },
  },
})
