/** Tells every service to read again what it remembers of a user, or of everybody in an organization. */
export interface UserChanged {
  type: 'organization.user.changed'
  data: { userId: string; orgId: string }
}

export interface RoleChanged {
  type: 'organization.role.changed'
  data: { roleId: string; orgId: string }
}

export interface OrgChanged {
  type: 'organization.org.changed'
  data: { orgId: string }
}

/** A reset: sessions and password of before are void; identity ends the sessions. */
export interface CredentialsReset {
  type: 'organization.user.credentialsReset'
  data: { userId: string; orgId: string }
}
