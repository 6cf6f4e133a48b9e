import type { OrgRole, Permission } from '../../../proto/permissions.ts'

/** The authenticated sender of a request: the claims of the token and the current permissions of the user. */
export interface Caller {
  readonly userId: string
  readonly orgId: string
  readonly sessionId: string
  /** The permissions that are effective in the user's organization. */
  readonly permissions: ReadonlySet<Permission>
  readonly orgRoles: ReadonlySet<OrgRole>
  /** Whether the organization operates the platform. */
  readonly operator: boolean
  /** Set during an impersonation. */
  readonly act?: { readonly actingEmail: string; readonly grantId: string }
}
