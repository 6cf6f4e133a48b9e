import { counts, type OrgRole, type Permission, type Standing, SYSTEM_ROLES } from '../../../proto/permissions.ts'

export interface RoleTemplate {
  name: string
  needs?: OrgRole
  permissions: readonly Permission[]
}

/** The system roles of an organization of this standing, with the permissions that are effective there. */
export const systemRolesOf = (standing: Standing, templates: readonly RoleTemplate[]) =>
  templates
    .filter(({ needs }) => needs === undefined || standing.roles.includes(needs))
    .map(({ name, permissions }) => ({ name, permissions: permissions.filter((key) => counts(key, standing)) }))

/** The permissions that have no effect in an organization of this standing. */
export const keysThatDoNotCount = (permissions: readonly Permission[], standing: Standing) =>
  permissions.filter((key) => !counts(key, standing))

/** The permissions that the caller does not hold. */
export const keysBeyond = (held: ReadonlySet<Permission>, permissions: readonly Permission[]) => [
  ...new Set(permissions.filter((key) => !held.has(key))),
]

/** Normal form of names that look alike: without case, repeated spaces, full-width forms and invisible characters. */
const lookOf = (name: string) =>
  name
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()

const SYSTEM_NAMES = new Set(SYSTEM_ROLES.map(({ name }) => lookOf(name)))

/** Names of system roles are reserved in every organization: a later change of its standing may add the role. */
export const isReserved = (name: string) => SYSTEM_NAMES.has(lookOf(name))
