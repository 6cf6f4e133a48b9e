import type { KEY } from '../../../proto/states/service-account-keys.ts'
import type { Guards } from '../../../proto/states/state-table.ts'
import type { Lineage } from '../authority/rules.ts'

/** Whether an account has a part in a lineage since a time. */
export function hasLedTo(lineage: Lineage, userId: string, since: string): boolean {
  const latest = lineage[userId]
  return latest !== undefined && Date.parse(latest) >= Date.parse(since)
}

/** The guards of the state table of keys. */
export const GUARDS = {
  endsSomething: ({ isLive, ends }: { isLive: boolean; ends: boolean }) =>
    isLive || ends ? undefined : 'The key has already been revoked.',
} satisfies Guards<typeof KEY.verbs, keyof typeof KEY.verbs, never>

/** The users who keep the secret of a new key. An account that rotates its key gains nothing by the new one. */
export const keepersOf = (
  { caller, account }: { caller: string; account: string },
  ofUsedKey: readonly string[] = [],
): string[] => [...new Set([...ofUsedKey, ...(caller === account ? [] : [caller])])]
