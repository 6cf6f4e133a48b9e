import { EMAIL_MAX_CHARACTERS, EMAIL_PATTERN } from '../../../proto/http/organization/users.ts'
import type { Permission } from '../../../proto/permissions.ts'

/** Who asks, as far as it decides what of a user is shown. */
export interface Viewer {
  orgId: string
  userId: string
  /** An administrator sees everything of everybody; others only of themselves. */
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
  q?: string
  active?: boolean
  admin?: boolean
  permission?: string
  roleId?: string
}

/** Whether the list is narrowed by what only administrators may ask; `false` and an empty text ask as well. */
export const asksForAuthority = ({ admin, permission, roleId }: UserFilters) =>
  admin !== undefined || permission !== undefined || roleId !== undefined

/** What a list of holders is about. */
export type Held = { roleId: string } | { permission: string }

/** A role or a key that the list is narrowed by: whoever is in it holds it. */
export function heldIn({ admin, permission, roleId }: UserFilters): Held | undefined {
  if (roleId !== undefined) return { roleId }
  if (permission !== undefined) return { permission }
  return admin ? { permission: 'org:admin' } : undefined
}

/** The one role or key that a list is narrowed by, where it is narrowed by nothing else. */
export function onlyHeld(filters: UserFilters): Held | undefined {
  const { q, active, admin, permission, roleId } = filters
  const narrowing = [q, active, admin, permission, roleId].filter((value) => value !== undefined)
  return narrowing.length === 1 ? heldIn(filters) : undefined
}

/** Whether everybody is in the list. */
export const isPlain = ({ q, active, admin, permission, roleId }: UserFilters) =>
  [q, active, admin, permission, roleId].every((value) => value === undefined)

/** The word that stands wherever an anonymised person's data stood. */
export const ERASED = 'erased'

/** How long an activation link lives. */
export const ACTIVATION_MS = 72 * 60 * 60 * 1000

const ADDRESS = new RegExp(EMAIL_PATTERN)

/**
 * One spelling for what looks the same: letters that are composed, of full width or joined in a ligature are told apart by no
 * reader. Undefined where that leaves no address, as with a second sign that looks like @, or one that is too long.
 */
export function addressOf(email: string): string | undefined {
  const address = email.normalize('NFKC')
  return ADDRESS.test(address) && Array.from(address).length <= EMAIL_MAX_CHARACTERS ? address : undefined
}
