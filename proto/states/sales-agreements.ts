import { StateTable } from './state-table.ts'

export const SALES_AGREEMENT_STATES = ['PROPOSED', 'ACTIVE', 'ENDED'] as const
export type SalesAgreementState = (typeof SALES_AGREEMENT_STATES)[number]

/** `otherRoleIsHeld`: the manufacturer still manufactures, and the seller still sells. */
export const SALES_AGREEMENT = new StateTable({
  record: 'sales agreement',
  states: SALES_AGREEMENT_STATES,
  initial: 'PROPOSED',
  verbs: {
    accept: { from: ['PROPOSED'], to: 'ACTIVE', by: ['counterparty'], guards: ['otherRoleIsHeld'] },
    end: { from: ['PROPOSED', 'ACTIVE'], to: 'ENDED', by: ['party'] },
  },
})
