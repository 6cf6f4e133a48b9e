import type { Permission } from '../../../proto/permissions.ts'

/** The permissions that are not held, each once. */
export const missingPermissions = (held: ReadonlySet<Permission>, permissions: readonly Permission[]) => [
  ...new Set(permissions.filter((permission) => !held.has(permission))),
]
