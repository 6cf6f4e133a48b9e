import { StateTable } from './state-table.ts'

export const QUESTION_STATES = ['ASKED', 'ANSWERED', 'DISMISSED'] as const
export type QuestionState = (typeof QUESTION_STATES)[number]

/**
 * Invitees ask questions about an RFQ, with its verb `ask`. An IP owner that is invited itself neither answers nor
 * dismisses. `end`: the award or cancellation of the RFQ; a CLOSED one can be opened again, so its questions stay.
 */
export const QUESTION = new StateTable({
  record: 'question',
  states: QUESTION_STATES,
  initial: 'ASKED',
  verbs: {
    answer: { from: ['ASKED'], to: 'ANSWERED', by: ['consumer', 'ipOwner'] },
    dismiss: { from: ['ASKED'], to: 'DISMISSED', by: ['consumer', 'ipOwner'] },
    end: { from: ['ASKED'], to: 'DISMISSED', by: ['marketplace'] },
  },
})
