import type { CaseTaskState } from '../../../../proto/http/sourcing/case-tasks.ts'

interface Transition {
  from: readonly CaseTaskState[]
  /** The state afterwards. Without one the state stays; DELETED is no record any more. */
  to?: CaseTaskState | 'DELETED'
  /** `creator`: the organization that created the task. `party`: any party to the case. */
  by: 'creator' | 'party'
}

/** The state machine of a task, while its case is OPEN. Every command looks its verb up here. */
export const TASK_TRANSITIONS = {
  patch: { from: ['OPEN'], by: 'creator' },
  complete: { from: ['OPEN'], to: 'COMPLETED', by: 'party' },
  delete: { from: ['OPEN', 'COMPLETED'], to: 'DELETED', by: 'creator' },
} as const satisfies Record<string, Transition>

export type TaskVerb = keyof typeof TASK_TRANSITIONS

/** Whether a verb may be used in a state. */
export const isLegal = (verb: TaskVerb, state: CaseTaskState): boolean =>
  (TASK_TRANSITIONS[verb].from as readonly CaseTaskState[]).includes(state)

/** The state that follows a verb. */
export const stateAfter = (verb: 'complete', state: CaseTaskState): CaseTaskState => TASK_TRANSITIONS[verb].to ?? state
