import type { CaseState } from '../../../proto/http/sourcing/cases.ts'

interface Transition {
  from: readonly CaseState[]
  /** The state afterwards. Without one the state stays. */
  to?: CaseState
  /**
   * `party`: any party to the case. `closer`: the organization that closed it. `rfq`: the award or cancellation of its RFQ, or
   * the decline of its organization.
   */
  by: 'party' | 'closer' | 'rfq'
  /** Whether the organizations of the case must still have a relation to its record. */
  needsRelation?: true
}

/** The state machine of a case. Every command looks its verb up here. `edit` also covers tasks and expenses. */
export const CASE_TRANSITIONS = {
  edit: { from: ['OPEN'], by: 'party', needsRelation: true },
  close: { from: ['OPEN'], to: 'CLOSED', by: 'party' },
  reopen: { from: ['CLOSED'], to: 'OPEN', by: 'closer', needsRelation: true },
  archive: { from: ['CLOSED'], to: 'ARCHIVED', by: 'party' },
  unarchive: { from: ['ARCHIVED'], to: 'CLOSED', by: 'party', needsRelation: true },
  end: { from: ['OPEN'], to: 'CLOSED', by: 'rfq' },
} as const satisfies Record<string, Transition>

export type CaseVerb = keyof typeof CASE_TRANSITIONS

/** Whether a verb may be used in a state. */
export const isLegal = (verb: CaseVerb, state: CaseState): boolean =>
  (CASE_TRANSITIONS[verb].from as readonly CaseState[]).includes(state)

/** Whether a verb needs a relation of the organizations of the case to its record. */
export function needsRelation(verb: CaseVerb): boolean {
  const transition: Transition = CASE_TRANSITIONS[verb]
  return transition.needsRelation ?? false
}
