import { counts, type OrgRole, type Permission, type Standing } from '../../../proto/permissions.ts'

export interface RoleTemplate {
  name: string
  needs?: OrgRole
  permissions: readonly Permission[]
}

/** The system roles that an organization of this standing has, each with the keys that count there. */
export const systemRolesOf = (standing: Standing, templates: readonly RoleTemplate[]) =>
  templates
    .filter(({ needs }) => needs === undefined || standing.roles.includes(needs))
    .map(({ name, permissions }) => ({ name, permissions: permissions.filter((key) => counts(key, standing)) }))

/** The keys of a role that mean nothing in an organization of this standing. */
export const keysThatDoNotCount = (permissions: readonly Permission[], standing: Standing) =>
  permissions.filter((key) => !counts(key, standing))

/** The keys that somebody would hand out, or take away, without holding them. */
export const keysBeyond = (held: ReadonlySet<Permission>, permissions: readonly Permission[]) =>
  permissions.filter((key) => !held.has(key))
