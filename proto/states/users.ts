import { StateTable } from './state-table.ts'

/**
 * The field `active` shows the state; nothing shows that a user is ANONYMISED. `isPerson`: it is no service account.
 */
export const USER = new StateTable({
  record: 'user',
  states: ['ACTIVE', 'INACTIVE', 'ANONYMISED'],
  initial: 'ACTIVE',
  verbs: {
    patch: { from: ['ACTIVE', 'INACTIVE'], by: ['owner'], guards: ['isPerson'] },
    resetPassword: { from: ['ACTIVE'], by: ['owner'], guards: ['isPerson'] },
    resetPasskeys: { from: ['ACTIVE', 'INACTIVE'], by: ['owner'], guards: ['isPerson'] },
    deactivate: { from: ['ACTIVE'], to: 'INACTIVE', by: ['owner'] },
    activate: { from: ['INACTIVE'], to: 'ACTIVE', by: ['owner'] },
    anonymise: { from: ['ACTIVE', 'INACTIVE'], to: 'ANONYMISED', by: ['owner'] },
  },
})
