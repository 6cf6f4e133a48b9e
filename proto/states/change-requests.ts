import { StateTable } from './state-table.ts'

export const CHANGE_REQUEST_STATES = ['PROPOSED', 'ACCEPTED', 'DECLINED', 'WITHDRAWN'] as const
export type ChangeRequestState = (typeof CHANGE_REQUEST_STATES)[number]

/**
 * `orderIsChangeable`: the order is in a state in which it can be changed. `quantityCoversShipments`: the quantity is
 * not below what is shipped. `piecesAreCountable`: ordered and remade pieces have a bound. `feeIsCovered`: a fee is at
 * most the value of what is cancelled. `dueDateIsNotPast`: the day (UTC) has not passed. `end`: the order has ended, or
 * the request of the other side was accepted. `takeEffect`: the manufacturer has left a request to cancel an overdue
 * order unanswered.
 */
export const CHANGE_REQUEST = new StateTable({
  record: 'change request',
  states: CHANGE_REQUEST_STATES,
  initial: 'PROPOSED',
  verbs: {
    accept: {
      from: ['PROPOSED'],
      to: 'ACCEPTED',
      by: ['decider'],
      guards: [
        'orderIsChangeable',
        'quantityCoversShipments',
        'piecesAreCountable',
        'feeIsCovered',
        'dueDateIsNotPast',
      ],
    },
    decline: { from: ['PROPOSED'], to: 'DECLINED', by: ['decider'] },
    withdraw: { from: ['PROPOSED'], to: 'WITHDRAWN', by: ['proposer'] },
    end: { from: ['PROPOSED'], to: 'WITHDRAWN', by: ['marketplace'] },
    takeEffect: { from: ['PROPOSED'], to: 'ACCEPTED', by: ['marketplace'] },
  },
})
