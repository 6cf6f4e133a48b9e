import { StateTable } from './state-table.ts'

/**
 * `revokedTime` shows the state. An expired key obtains no tokens, but is LIVE until it is revoked. `endsSomething`:
 * the key is LIVE, or keys or mail addresses that it led to end with it.
 */
export const KEY = new StateTable({
  record: 'key',
  states: ['LIVE', 'REVOKED'],
  initial: 'LIVE',
  verbs: {
    revoke: { from: ['LIVE', 'REVOKED'], to: 'REVOKED', by: ['owner'], guards: ['endsSomething'] },
  },
})
