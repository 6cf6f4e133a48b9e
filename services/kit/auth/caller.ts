import { isApplicable, type OrgRole, type Permission } from '../../../proto/permissions.ts'
import type { CallerRow } from './queries.ts'
import { type Claims, unauthorized } from './tokens.ts'

/** The authenticated sender of a request: the claims of the token and the current permissions of the user. */
export interface Caller {
  readonly userId: string
  readonly orgId: string
  /** The session, or the key of a service account. */
  readonly sessionId: string
  /** The id of the token, for a service account. */
  readonly clientTokenId?: string
  /** The permissions that are effective in the user's organization. */
  readonly permissions: ReadonlySet<Permission>
  readonly orgRoles: ReadonlySet<OrgRole>
  /** Whether the organization operates the platform. */
  readonly operator: boolean
  /** Set during an impersonation. */
  readonly act?: { readonly actingEmail: string; readonly grantId: string }
}

/** Throws 401 for a token whose user was deactivated, moved or reset after the session began. */
export function callerFrom(
  { userId, orgId, sessionId, sessionVersion, clientTokenId, act }: Omit<Claims, 'expiresAtMs' | 'keyId'>,
  row: CallerRow,
): Caller {
  if (!row.active || row.org_id !== orgId || row.session_version !== sessionVersion) throw unauthorized()
  return {
    userId,
    orgId,
    sessionId,
    permissions: new Set(row.permissions.filter((key) => isApplicable(key, row))),
    orgRoles: new Set(row.roles),
    operator: row.operator,
    ...(clientTokenId === undefined ? {} : { clientTokenId }),
    ...(act ? { act } : {}),
  }
}
