import { isApplicable, type Permission, type Standing } from '../../../proto/permissions.ts'
import type { Sql } from '../db/client.ts'
import { type CallerRow, findCallerOfSession, findImpersonated } from './queries.ts'

interface Holder extends Standing {
  permissions: readonly Permission[]
}

/** Effective permissions of the user that the grantor of the grant lacks. */
export const missingEffectivePermissions = (
  held: ReadonlySet<Permission>,
  { permissions, ...standing }: Holder,
): Permission[] => permissions.filter((key) => isApplicable(key, standing) && !held.has(key))

/** Whether the grantor is still an active administrator with every permission of the user. */
export const grantorHasAuthority = (
  grantor: { active: boolean; permissions: readonly Permission[] },
  user: Holder & { active: boolean },
): boolean => {
  const held = new Set(grantor.permissions)
  return grantor.active && user.active && held.has('org:admin') && missingEffectivePermissions(held, user).length === 0
}

interface TokenUser {
  userId: string
  sessionId: string
  clientTokenId?: string
  keyId?: string
  act?: { grantId: string } | undefined
}

/**
 * The user of a token as stored now. Undefined for an ended session or signing key, and for an impersonation whose
 * grantor lost the authority.
 */
export async function findUserOf(sql: Sql, { act, ...token }: TokenUser): Promise<CallerRow | undefined> {
  if (!act) return (await findCallerOfSession(sql, token))[0]
  const [row] = await findImpersonated(sql, token, act.grantId)
  if (!row) return undefined
  const grantor = { active: row.grantor_active, permissions: row.grantor_permissions }
  return grantorHasAuthority(grantor, { ...row, roles: row.org_roles }) ? row : undefined
}
