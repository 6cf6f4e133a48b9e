import { StateTable } from './state-table.ts'

export const CASE_STATES = ['OPEN', 'CLOSED', 'ARCHIVED'] as const
export type CaseState = (typeof CASE_STATES)[number]

/**
 * `edit`: its content, tasks, expenses and documents. `end`: the award or cancellation of its RFQ, or the decline of
 * its organization. `isRelated`: the organizations of the case still have a relation to its record.
 * `wasClosedByParty`: its RFQ did not close it.
 */
export const CASE = new StateTable({
  record: 'case',
  states: CASE_STATES,
  initial: 'OPEN',
  verbs: {
    edit: { from: ['OPEN'], by: ['party'], guards: ['isRelated'] },
    close: { from: ['OPEN'], to: 'CLOSED', by: ['party'] },
    reopen: { from: ['CLOSED'], to: 'OPEN', by: ['closer'], guards: ['isRelated', 'wasClosedByParty'] },
    archive: { from: ['CLOSED'], to: 'ARCHIVED', by: ['party'] },
    unarchive: { from: ['ARCHIVED'], to: 'CLOSED', by: ['party'], guards: ['isRelated'] },
    end: { from: ['OPEN'], to: 'CLOSED', by: ['marketplace'] },
  },
})

export const TASK_STATES = ['OPEN', 'COMPLETED'] as const

/** The tasks of a case, which change only while the case can be edited. */
export const TASK = new StateTable({
  record: 'task',
  states: TASK_STATES,
  initial: 'OPEN',
  verbs: {
    patch: { from: ['OPEN'], by: ['creator'] },
    complete: { from: ['OPEN'], to: 'COMPLETED', by: ['party'] },
    delete: { from: TASK_STATES, to: 'DELETED', by: ['creator'] },
  },
})
