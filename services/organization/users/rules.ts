import type { Permission } from '../../../proto/permissions.ts'
import type { Guards } from '../../../proto/states/state-table.ts'
import type { USER } from '../../../proto/states/users.ts'

/** The state in the table of users. */
export function stateOf({ active, anonymised }: { active: boolean; anonymised: boolean }) {
  if (anonymised) return 'ANONYMISED'
  return active ? 'ACTIVE' : 'INACTIVE'
}

/** The guards of the state table. `advice`: what serves for a service account instead. */
export const GUARDS = {
  isPerson: ({ kind, advice }: { kind: 'PERSON' | 'SERVICE'; advice: string }) =>
    kind === 'PERSON' ? undefined : `The user is a service account. ${advice}`,
} satisfies Guards<typeof USER.verbs, keyof typeof USER.verbs, never>

/** The caller, as far as it decides which fields of a user are shown. */
export interface Viewer {
  orgId: string
  userId: string
  /** An administrator sees all fields of every user; another user only their own. */
  seesAll: boolean
}

export const viewerOf = ({
  orgId,
  userId,
  permissions,
}: {
  orgId: string
  userId: string
  permissions: ReadonlySet<Permission>
}): Viewer => ({ orgId, userId, seesAll: permissions.has('org:admin') })

export interface UserFilters {
  q?: string | undefined
  active?: boolean | undefined
  admin?: boolean | undefined
  permission?: string | undefined
  roleId?: string | undefined
}

/** Whether a filter is set that only administrators may use; `false` and an empty text are filters. */
export const hasAuthorityFilter = ({ admin, permission, roleId }: UserFilters) =>
  admin !== undefined || permission !== undefined || roleId !== undefined

/** A role, or a permission through any role. */
export type Authority = { roleId: string } | { permission: string }

/** The role or permission that every user of the list holds, where there is one, and the other filters. */
export function splitAuthority(filters: UserFilters): { authority: Authority | undefined; others: UserFilters } {
  const { q, active, admin, permission, roleId } = filters
  if (roleId !== undefined) return { authority: { roleId }, others: { q, active, admin, permission } }
  if (permission !== undefined) return { authority: { permission }, others: { q, active, admin } }
  if (admin) return { authority: { permission: 'org:admin' }, others: { q, active } }
  return { authority: undefined, others: { q, active, admin } }
}

/** Replaces the data of an anonymised person. */
export const ERASED = 'erased'

/** Lifetime of an activation link. */
export const ACTIVATION_MS = 72 * 60 * 60 * 1000
