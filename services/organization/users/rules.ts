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

/** One spelling for what looks the same: composed and decomposed letters are told apart by no reader. */
export const normalised = <P extends { email?: string }>(person: P): P =>
  person.email === undefined ? person : { ...person, email: person.email.normalize('NFC') }
