import { DAY_MS } from '../../../proto/durations.ts'
import { isApplicable, type Permission, type Standing } from '../../../proto/permissions.ts'

const DEFAULT_MS = 60 * 60 * 1000
const LONGEST_MS = DAY_MS

/** The expiry of a grant; undefined for one in the past or too far in the future. */
export function expiryOf(requested: string | undefined, nowMs: number): string | undefined {
  if (requested === undefined) return new Date(nowMs + DEFAULT_MS).toISOString()
  const endMs = Date.parse(requested)
  return endMs > nowMs && endMs <= nowMs + LONGEST_MS ? new Date(endMs).toISOString() : undefined
}

interface Holder extends Standing {
  permissions: readonly Permission[]
}

/** Effective permissions of the user that the grantor of the grant lacks. */
export const missingPermissions = (held: ReadonlySet<Permission>, { permissions, ...standing }: Holder): Permission[] =>
  permissions.filter((key) => isApplicable(key, standing) && !held.has(key))

/** Whether the grantor is still an active administrator with every permission of the user. */
export const grantorHasAuthority = (
  grantor: { active: boolean; permissions: readonly Permission[] },
  user: Holder & { active: boolean },
): boolean => {
  const held = new Set(grantor.permissions)
  return grantor.active && user.active && held.has('org:admin') && missingPermissions(held, user).length === 0
}
