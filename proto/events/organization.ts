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
  data: SessionsVoid
}

/** Sessions of before are void, also if the user is activated again; identity ends them. */
export interface UserDeactivated {
  type: 'organization.user.deactivated'
  data: SessionsVoid
}

/** The person's data are gone here; identity erases what it has of them. */
export interface UserAnonymised {
  type: 'organization.user.anonymised'
  data: SessionsVoid
}

interface SessionsVoid {
  userId: string
  orgId: string
  /** Sessions that began earlier end. */
  before: string
}

export interface BusinessUnitChanged {
  type: 'organization.businessUnit.changed'
  data: { businessUnitId: string; orgId: string }
}

export interface CustomFieldChanged {
  type: 'organization.customField.changed'
  data: { fieldId: string; orgId: string }
}
