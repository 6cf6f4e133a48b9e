import { isApplicable, type OrgRole, type Permission, type Standing, SYSTEM_ROLES } from '../../../proto/permissions.ts'

export interface RoleTemplate {
  name: string
  needs?: OrgRole
  permissions: readonly Permission[]
}

/** The system roles that an organization of this standing has, each with the keys that count there. */
export const systemRolesOf = (standing: Standing, templates: readonly RoleTemplate[]) =>
  templates
    .filter(({ needs }) => needs === undefined || standing.roles.includes(needs))
    .map(({ name, permissions }) => ({ name, permissions: permissions.filter((key) => isApplicable(key, standing)) }))

/** The keys of a role that mean nothing in an organization of this standing. */
export const inapplicablePermissions = (permissions: readonly Permission[], standing: Standing) =>
  permissions.filter((key) => !isApplicable(key, standing))

/** The keys that somebody would hand out, or take away, without holding them. */
export const missingPermissions = (held: ReadonlySet<Permission>, permissions: readonly Permission[]) => [
  ...new Set(permissions.filter((key) => !held.has(key))),
]

/** What people take for the same name: case, blanks, letters of another width and what is invisible make no difference. */
const lookOf = (name: string) =>
  name
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()

const SYSTEM_NAMES = new Set(SYSTEM_ROLES.map(({ name }) => lookOf(name)))

/** Names of system roles are theirs alone, in every organization: it may yet become one that has the role. */
export const isReserved = (name: string) => SYSTEM_NAMES.has(lookOf(name))
