import { StateTable } from './state-table.ts'

export const ENDPOINT_STATUSES = ['active', 'paused'] as const

/** A webhook endpoint. A patch of `status` activates or pauses it. */
export const ENDPOINT = new StateTable({
  record: 'endpoint',
  states: ENDPOINT_STATUSES,
  initial: 'active',
  verbs: {
    pause: { from: ['active'], to: 'paused', by: ['owner', 'marketplace'] },
    activate: { from: ['paused'], to: 'active', by: ['owner'] },
    delete: { from: ENDPOINT_STATUSES, to: 'DELETED', by: ['owner'] },
  },
})
