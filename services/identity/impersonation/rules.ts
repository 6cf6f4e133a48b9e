import { counts, type Permission, type Standing } from '../../../proto/permissions.ts'

export const DEFAULT_MS = 60 * 60 * 1000
export const LONGEST_MS = 24 * 60 * 60 * 1000

/** When a grant ends; undefined where what is asked for is over already, or too far away. */
export function endOf(asked: string | undefined, nowMs: number): string | undefined {
  if (asked === undefined) return new Date(nowMs + DEFAULT_MS).toISOString()
  const endMs = Date.parse(asked)
  return endMs > nowMs && endMs <= nowMs + LONGEST_MS ? new Date(endMs).toISOString() : undefined
}

export interface Holder extends Standing {
  permissions: readonly Permission[]
}

/** Keys that count for a user and that whoever lets act as them does not hold. */
export const keysBeyond = (held: ReadonlySet<Permission>, { permissions, ...standing }: Holder): Permission[] =>
  permissions.filter((key) => counts(key, standing) && !held.has(key))

/** Whether a grant still stands for what it was given for: by an administrator who may do all that the user may. */
export const isBacked = (
  giver: { active: boolean; permissions: readonly Permission[] },
  user: Holder & { active: boolean },
): boolean => {
  const held = new Set(giver.permissions)
  return giver.active && user.active && held.has('org:admin') && keysBeyond(held, user).length === 0
}
