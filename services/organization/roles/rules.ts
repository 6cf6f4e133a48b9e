import { isApplicable, type Permission, type Standing, SYSTEM_ROLES } from '../../../proto/permissions.ts'

/** The system roles of an organization of this standing, each with the permissions that apply to it. */
export const systemRolesOf = (standing: Standing) =>
  SYSTEM_ROLES.filter(({ needs }) => needs === undefined || standing.roles.includes(needs)).map(
    ({ name, permissions }) => ({
      name,
      permissions: permissions.filter((permission) => isApplicable(permission, standing)),
    }),
  )

/** The permissions that have no effect in an organization of this standing. */
export const inapplicablePermissions = (permissions: readonly Permission[], standing: Standing) =>
  permissions.filter((permission) => !isApplicable(permission, standing))

/** Names that look alike are equal: case, spaces, character width and invisible characters are ignored. */
const normalizedName = (name: string) =>
  name
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()

const SYSTEM_NAMES = new Set(SYSTEM_ROLES.map(({ name }) => normalizedName(name)))

/** System role names are reserved in every organization, because an organization can get further system roles later. */
export const isReserved = (name: string) => SYSTEM_NAMES.has(normalizedName(name))
