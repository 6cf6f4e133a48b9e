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

/** The one role or key that a list is narrowed by, where it is narrowed by nothing else. */
export function onlyHeld({ q, active, admin, permission, roleId }: UserFilters): Held | undefined {
  const others = (sent: unknown[]) => sent.every((value) => value === undefined)
  if (roleId !== undefined && others([q, active, admin, permission])) return { roleId }
  if (permission !== undefined && others([q, active, admin, roleId])) return { permission }
  if (admin === true && others([q, active, permission, roleId])) return { permission: 'org:admin' }
  return undefined
}

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
