import { StateTable } from './state-table.ts'

export const EMAIL_INVITATION_STATES = ['PENDING', 'REDEEMED', 'CONFIRMED', 'REVOKED', 'EXPIRED'] as const
export type EmailInvitationState = (typeof EMAIL_INVITATION_STATES)[number]

/**
 * An invitation is PENDING whether or not its address is registered, until an organization uses the mailed link. One
 * whose time has passed counts as EXPIRED.
 */
export const EMAIL_INVITATION = new StateTable({
  record: 'invitation by e-mail',
  states: EMAIL_INVITATION_STATES,
  initial: 'PENDING',
  verbs: {
    redeem: { from: ['PENDING'], to: 'REDEEMED', by: ['invitee'] },
    confirm: { from: ['REDEEMED'], to: 'CONFIRMED', by: ['consumer'] },
    revoke: { from: ['PENDING', 'REDEEMED'], to: 'REVOKED', by: ['consumer'] },
    expire: { from: ['PENDING'], to: 'EXPIRED', by: ['marketplace'] },
  },
})
