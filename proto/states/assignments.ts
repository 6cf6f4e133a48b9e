import { StateTable } from './state-table.ts'

/**
 * The field `archived` shows the state. `edit`: its contacts and billing details. `orderIsFinished`: the order is
 * COMPLETED, DECLINED or CANCELLED.
 */
export const ASSIGNMENT = new StateTable({
  record: 'assignment',
  states: ['CURRENT', 'ARCHIVED'],
  initial: 'CURRENT',
  verbs: {
    edit: { from: ['CURRENT'], by: ['party'] },
    archive: { from: ['CURRENT'], to: 'ARCHIVED', by: ['party'], guards: ['orderIsFinished'] },
    unarchive: { from: ['ARCHIVED'], to: 'CURRENT', by: ['party'] },
  },
})
