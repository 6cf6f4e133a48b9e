import { StateTable } from './state-table.ts'

export const CASE_STATES = ['OPEN', 'CLOSED', 'ARCHIVED'] as const
export type CaseState = (typeof CASE_STATES)[number]

/**
 * `edit`: its content, messages, tasks, expenses and documents. `end`: the award or cancellation of its RFQ, the
 * decline of its organization, or 90 days since the end of the orders of its organization. `resume`: its RFQ opens
 * again, or invites its organization or places an order with it again. `isRelated`: the organizations of the case still
 * have a relation to its record. `wasClosedByParty`: its RFQ did not close it.
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
    resume: { from: CASE_STATES, to: 'OPEN', by: ['marketplace'] },
  },
})

export const EXPENSE_STATES = ['PROPOSED', 'APPROVED', 'REJECTED'] as const

/**
 * The expenses of a case, which change only while the case can be edited. A change proposes a rejected one again.
 * `isOfAnother`: another party proposed the expense or, in a case of one party, another of its users.
 */
export const EXPENSE = new StateTable({
  record: 'expense',
  states: EXPENSE_STATES,
  initial: 'PROPOSED',
  verbs: {
    patch: { from: ['PROPOSED', 'REJECTED'], to: 'PROPOSED', by: ['creator'] },
    approve: { from: ['PROPOSED'], to: 'APPROVED', by: ['party'], guards: ['isOfAnother'] },
    reject: { from: ['PROPOSED'], to: 'REJECTED', by: ['party'], guards: ['isOfAnother'] },
    delete: { from: ['PROPOSED', 'REJECTED'], to: 'DELETED', by: ['creator'] },
  },
})

export const TASK_STATES = ['OPEN', 'COMPLETED'] as const

/**
 * The tasks of a case, which change only while the case can be edited. `assign`: names the user who should do the task.
 */
export const TASK = new StateTable({
  record: 'task',
  states: TASK_STATES,
  initial: 'OPEN',
  verbs: {
    patch: { from: ['OPEN'], by: ['creator'] },
    assign: { from: ['OPEN'], by: ['assignee'] },
    complete: { from: ['OPEN'], to: 'COMPLETED', by: ['party'] },
    delete: { from: TASK_STATES, to: 'DELETED', by: ['creator'] },
  },
})
