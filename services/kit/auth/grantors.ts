import { isApplicable, type Permission } from '../../../proto/permissions.ts'
import type { Sql } from '../db/client.ts'
import {
  type CallerRow,
  type Endable,
  findCallerOfSession,
  findImpersonated,
  type ImpersonatedRow,
  type UserRow,
} from './queries.ts'

/** Effective permissions of the user that the grantor of the grant lacks. */
export const missingEffectivePermissions = (held: ReadonlySet<Permission>, user: UserRow): Permission[] =>
  user.permissions.filter((key) => isApplicable(key, user) && !held.has(key))

/** Whether the grantor is still an active administrator with every permission of the user. */
export function grantorHasAuthority({ grantor_active, grantor_permissions, ...user }: ImpersonatedRow): boolean {
  const held = new Set(grantor_permissions)
  return grantor_active && user.active && held.has('org:admin') && missingEffectivePermissions(held, user).length === 0
}

type TokenUser = Endable & { userId: string; act?: { grantId: string } | undefined }

/**
 * The user of a token as stored now. Undefined for an ended session or signing key, and for an impersonation whose
 * grantor lost the authority.
 */
export async function findUserOf(sql: Sql, { act, ...token }: TokenUser): Promise<CallerRow | undefined> {
  if (!act) return (await findCallerOfSession(sql, token))[0]
  const [row] = await findImpersonated(sql, token, act.grantId)
  return row && grantorHasAuthority(row) ? row : undefined
}
