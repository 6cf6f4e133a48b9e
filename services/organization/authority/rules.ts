import type { Permission } from '../../../proto/permissions.ts'

/** The permissions that are not held, each once. */
export const missingPermissions = (held: ReadonlySet<Permission>, permissions: readonly Permission[]) => [
  ...new Set(permissions.filter((permission) => !held.has(permission))),
]

interface KeptKey {
  id: string
  /** What the other roles of the account permit. */
  permissions: readonly Permission[]
  keeper_permissions: readonly Permission[]
}

/** The first key by whose secret its keeper would gain one of the added permissions, and that permission. */
export function keyOfWeakerKeeper(keys: readonly KeptKey[], added: readonly Permission[]) {
  for (const { id, permissions, keeper_permissions: kept } of keys) {
    const permission = added.find((each) => !permissions.includes(each) && !kept.includes(each))
    if (permission) return { id, permission }
  }
  return undefined
}
