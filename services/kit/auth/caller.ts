import type { OrgRole, Permission } from '../../../proto/permissions.ts'

/** Who sends a request, as its token and the organization's records say at this moment. */
export interface Caller {
  readonly userId: string
  readonly orgId: string
  readonly sessionId: string
  /** The keys that count for the user in their organization. */
  readonly permissions: ReadonlySet<Permission>
  readonly orgRoles: ReadonlySet<OrgRole>
  /** Whether the organization runs the platform. */
  readonly operator: boolean
  /** Set while somebody acts as the user under an impersonation grant. */
  readonly act?: { readonly actingEmail: string; readonly grantId: string }
}
