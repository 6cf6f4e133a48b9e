import { StateTable } from './state-table.ts'

/** A mail. `drop`: its recipient or its link is void, or it has expired. */
export const MAIL = new StateTable({
  record: 'mail',
  states: ['PENDING', 'SENT', 'FAILED'],
  initial: 'PENDING',
  verbs: {
    send: { from: ['PENDING'], to: 'SENT', by: ['marketplace'] },
    retry: { from: ['PENDING'], by: ['marketplace'] },
    fail: { from: ['PENDING'], to: 'FAILED', by: ['marketplace'] },
    drop: { from: ['PENDING'], to: 'FAILED', by: ['marketplace'] },
  },
})
