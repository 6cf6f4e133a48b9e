import { StateTable } from './state-table.ts'

/** The field `active` shows the state. */
export const FACTORY = new StateTable({
  record: 'factory',
  states: ['ACTIVE', 'INACTIVE'],
  initial: 'ACTIVE',
  verbs: {
    activate: { from: ['INACTIVE'], to: 'ACTIVE', by: ['owner'] },
    deactivate: { from: ['ACTIVE'], to: 'INACTIVE', by: ['owner'] },
  },
})
