import { Type } from '@sinclair/typebox'
import { Id, OrgId } from './shapes.ts'

const org = { orgId: OrgId('The organization.') }
const user = { userId: Id('user', 'The user.'), ...org }

const UserData = Type.Object(user, {
  description: 'A user or its roles changed. Makes every service reload the cached permissions of the user.',
})
const RoleData = Type.Object(
  { roleId: Id('role', 'The role.'), ...org },
  {
    description: 'A role changed. Makes every service reload the cached permissions of all users of the organization.',
  },
)
const OrgData = Type.Object(org, {
  description:
    'An organization was created or changed. Makes every service reload the cached permissions of all its users.',
})

const sessionsVoid = {
  ...user,
  sessionVersion: Type.Integer({ description: 'Sessions of an earlier version end.', examples: [3] }),
}
const ResetData = Type.Object(sessionsVoid, {
  description: 'The password and earlier sessions are void; identity ends the sessions.',
})
const PasskeyResetData = Type.Object(sessionsVoid, {
  description: 'The passkeys were removed and earlier sessions are void; identity ends the sessions.',
})
const DeactivationData = Type.Object(sessionsVoid, {
  description: 'Earlier sessions are void, also after a later activation; identity ends them.',
})
const AnonymisationData = Type.Object(sessionsVoid, {
  description: 'The personal data were erased; identity erases its own.',
})
const KeyRevocationData = Type.Object(
  { keyId: Id('sak', 'The key.'), ...user },
  { description: 'A key of a service account was revoked, so the tokens that it obtained are void.' },
)
const BusinessUnitData = Type.Object(
  { businessUnitId: Id('bu', 'The business unit.'), ...org },
  { description: 'A business unit was created, changed or deleted.' },
)
const CustomFieldData = Type.Object(
  { fieldId: Id('field', 'The custom field.'), ...org },
  { description: 'A custom field was created, changed or deleted.' },
)

const MailAddressData = Type.Object(
  { mailAddressId: Id('maddr', 'The mail address.'), ...org },
  { description: 'A mail address was added, changed, confirmed or removed.' },
)

const NotificationSettingsData = Type.Object(
  { ...org, userId: Type.Optional(Id('user', 'The user; absent for those of the organization.')) },
  { description: 'The notification settings of an organization, or of one of its users, changed.' },
)

export const ORGANIZATION_EVENTS = {
  'organization.user.changed': UserData,
  'organization.role.changed': RoleData,
  'organization.org.changed': OrgData,
  'organization.user.credentialsReset': ResetData,
  'organization.user.passkeysReset': PasskeyResetData,
  'organization.user.deactivated': DeactivationData,
  'organization.user.anonymised': AnonymisationData,
  'organization.serviceAccountKey.revoked': KeyRevocationData,
  'organization.businessUnit.changed': BusinessUnitData,
  'organization.customField.changed': CustomFieldData,
  'organization.mailAddress.changed': MailAddressData,
  'organization.notificationSettings.changed': NotificationSettingsData,
}
