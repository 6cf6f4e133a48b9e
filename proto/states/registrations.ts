import { StateTable } from './state-table.ts'

/** A registration is UNCONFIRMED until the applicant has used the mailed link; the operator sees it from then on. */
export const REGISTRATION = new StateTable({
  record: 'registration',
  states: ['UNCONFIRMED', 'PENDING', 'APPROVED', 'REJECTED'],
  initial: 'UNCONFIRMED',
  verbs: {
    confirm: { from: ['UNCONFIRMED'], to: 'PENDING', by: ['applicant'] },
    approve: { from: ['PENDING'], to: 'APPROVED', by: ['operator', 'marketplace'] },
    reject: { from: ['PENDING'], to: 'REJECTED', by: ['operator'] },
  },
})
export type RegistrationState = (typeof REGISTRATION.states)[number]
export const REGISTRATION_STATES = REGISTRATION.states
