import type { Lineage } from '../authority/rules.ts'

/** Whether an account has a part in a lineage since a time. */
export function hasLedTo(lineage: Lineage, userId: string, since: string): boolean {
  const latest = lineage[userId]
  return latest !== undefined && Date.parse(latest) >= Date.parse(since)
}

/** The users who keep the secret of a new key. An account that rotates its key gains nothing by the new one. */
export const keepersOf = (
  { caller, account }: { caller: string; account: string },
  ofUsedKey: readonly string[] = [],
): string[] => [...new Set([...ofUsedKey, ...(caller === account ? [] : [caller])])]
