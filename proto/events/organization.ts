/** Makes every service reload the cached permissions of the user. */
export interface UserChanged {
  type: 'organization.user.changed'
  data: { userId: string; orgId: string }
}

/** Makes every service reload the cached permissions of all users of the organization. */
export interface RoleChanged {
  type: 'organization.role.changed'
  data: { roleId: string; orgId: string }
}

/** Makes every service reload the cached permissions of all users of the organization. */
export interface OrgChanged {
  type: 'organization.org.changed'
  data: { orgId: string }
}

/** The password and earlier sessions are void; identity ends the sessions. */
export interface CredentialsReset {
  type: 'organization.user.credentialsReset'
  data: SessionsVoid
}

/** Earlier sessions are void, also after a later activation; identity ends them. */
export interface UserDeactivated {
  type: 'organization.user.deactivated'
  data: SessionsVoid
}

/** The personal data were erased; identity erases its own. */
export interface UserAnonymised {
  type: 'organization.user.anonymised'
  data: SessionsVoid
}

interface SessionsVoid {
  userId: string
  orgId: string
  /** Sessions of an earlier version end. */
  sessionVersion: number
}

export interface BusinessUnitChanged {
  type: 'organization.businessUnit.changed'
  data: { businessUnitId: string; orgId: string }
}

export interface CustomFieldChanged {
  type: 'organization.customField.changed'
  data: { fieldId: string; orgId: string }
}
