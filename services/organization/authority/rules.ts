import type { Permission } from '../../../proto/permissions.ts'

/** The permissions that are not held, each once. */
export const missingPermissions = (held: ReadonlySet<Permission>, permissions: readonly Permission[]) => [
  ...new Set(permissions.filter((permission) => !held.has(permission))),
]

interface KeptKey {
  id: string
  /** What the other roles of the account permit. */
  permissions: readonly Permission[]
  /** What each of its keepers may do. */
  keeper_permissions: readonly Permission[]
}

/** The first key by whose secret one of its keepers would gain one of the added permissions, and that permission. */
export function keyOfWeakerKeeper(keys: readonly KeptKey[], added: readonly Permission[]) {
  for (const { id, permissions, keeper_permissions: kept } of keys) {
    const permission = added.find((each) => !permissions.includes(each) && !kept.includes(each))
    if (permission) return { id, permission }
  }
  return undefined
}

/** The service accounts through which a user or a key was created, each with the time at which it last took part. */
export type Lineage = Readonly<Record<string, string>>

/** Service accounts of a lineage, which would otherwise grow with each account that creates another. */
export const MAX_LINEAGE = 100

/** The lineages together, with the later time of an account that is in both. */
export function joined(...lineages: readonly Lineage[]): Lineage {
  const latest: Record<string, string> = {}
  for (const [userId, time] of lineages.flatMap((lineage) => Object.entries(lineage))) {
    const other = latest[userId]
    if (other === undefined || Date.parse(other) < Date.parse(time)) latest[userId] = time
  }
  return latest
}
