import type { CaseState } from '../../../proto/http/sourcing/cases.ts'

interface Transition {
  from: readonly CaseState[]
  /** The state afterwards. Without one the state stays. */
  to?: CaseState
  /** `party`: any party to the case. `rfq`: the award or cancellation of its RFQ, or the decline of its organization. */
  by: 'party' | 'rfq'
}

/** The state machine of a case. Every command looks its verb up here. `edit` also covers tasks and expenses. */
export const CASE_TRANSITIONS = {
  edit: { from: ['OPEN'], by: 'party' },
  close: { from: ['OPEN'], to: 'CLOSED', by: 'party' },
  reopen: { from: ['CLOSED'], to: 'OPEN', by: 'party' },
  archive: { from: ['CLOSED'], to: 'ARCHIVED', by: 'party' },
  unarchive: { from: ['ARCHIVED'], to: 'CLOSED', by: 'party' },
  end: { from: ['OPEN'], to: 'CLOSED', by: 'rfq' },
} as const satisfies Record<string, Transition>

export type CaseVerb = keyof typeof CASE_TRANSITIONS

/** Whether a verb may be used in a state. */
export const isLegal = (verb: CaseVerb, state: CaseState): boolean =>
  (CASE_TRANSITIONS[verb].from as readonly CaseState[]).includes(state)

/** The state that follows a verb. */
export function stateAfter(verb: CaseVerb, state: CaseState): CaseState {
  const transition: Transition = CASE_TRANSITIONS[verb]
  return transition.to ?? state
}
