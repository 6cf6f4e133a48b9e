import { newSecretToken } from '../../kit/secrets/tokens.ts'
import { grantRoleTo } from '../../organization/roles/queries.ts'
import type { Account, Fixtures } from '../fixtures.ts'
import { createPart, type RecordName, recordKind } from '../records.ts'
import { type Input, withValue } from './inputs.ts'
import { type OperationSample, unfit, withAnother, without } from './operation-sample.ts'
import { insertMailAddress, insertRegistration } from './organization-records.ts'

const forAdministrators = without('org:admin', 403)

const make = (record: RecordName, fixtures: Fixtures, account: Account) => recordKind(record).make(fixtures, account)
const newEmail = () => `${crypto.randomUUID()}@example.com`
const newName = () => crypto.randomUUID()

const withOwnEmail =
  (place: string) =>
  (_: Fixtures, { email }: Account, input: Input) =>
    withValue(input, place, email)

async function assignedRole(fixtures: Fixtures, account: Account) {
  const roleId = String(await make('role', fixtures, account))
  const userId = String(await make('invited', fixtures, account))
  await grantRoleTo(fixtures.market.db.owner, { orgId: account.orgId, userIds: [userId], roleId })
  return { 'path.id': roleId, 'body.userId': userId }
}

async function withAnonymised(fixtures: Fixtures, account: Account, input: Input) {
  const id = String(await make('invited', fixtures, account))
  await fixtures.market.db.owner`
    update organization.users set active = false, anonymised_at = now() where id = ${id}`
  return withValue(input, 'path.id', id)
}

const userSamples: Record<string, OperationSample> = {
  listUsers: { references: { 'query.roleId': { record: 'role', own: forAdministrators } } },
  getUser: { references: { 'path.id': ['user', 'colleague'] } },
  createUser: {
    references: { 'body.roleIds.0': 'role' },
    // Otherwise the requests would reach the limit of links.
    values: () => ({ 'body.email': newEmail(), 'body.mail': false }),
    conflict: withOwnEmail('body.email'),
  },
  patchUser: {
    references: { 'path.id': 'invited' },
    values: () => ({ 'body.email': newEmail() }),
    conflict: withOwnEmail('body.email'),
  },
  activateUser: { references: { 'path.id': 'inactiveUser' }, conflict: withAnother('path.id', 'invited') },
  deactivateUser: { references: { 'path.id': 'invited' }, conflict: withAnother('path.id', 'inactiveUser') },
  resetUserPassword: {
    references: { 'path.id': 'invited' },
    values: () => ({ 'body.mail': false }),
    conflict: withAnother('path.id', 'inactiveUser'),
  },
  resetUserPasskeys: { references: { 'path.id': 'invited' }, conflict: withAnonymised },
  anonymiseUser: {
    references: { 'path.id': 'invited' },
    conflict: withAnonymised,
  },
}

const roleSamples: Record<string, OperationSample> = {
  listRoles: { references: { 'query.userId': ['user', { record: 'colleague', own: forAdministrators }] } },
  getRole: { references: { 'path.id': 'role' } },
  createRole: {
    values: () => ({ 'body.name': newName() }),
    conflict: (_, __, input) => withValue(input, 'body.name', 'viewer'),
  },
  patchRole: {
    references: { 'path.id': 'role' },
    values: () => ({ 'body.name': newName() }),
    conflict: (_, __, input) => withValue(input, 'body.name', 'viewer'),
  },
  deleteRole: {
    references: { 'path.id': 'role' },
    conflict: async (fixtures, account, input) =>
      withValue(input, 'path.id', (await assignedRole(fixtures, account))['path.id']),
  },
  grantRole: {
    references: { 'path.id': 'role', 'body.userId': 'invited' },
    async conflict(fixtures, account, input) {
      const assigned = await assignedRole(fixtures, account)
      return withValue(withValue(input, 'path.id', assigned['path.id']), 'body.userId', assigned['body.userId'])
    },
  },
  withdrawRole: {
    references: {
      'path.id': unfit('role', 409, 'role:manage'),
      'body.userId': unfit('invited', 409, 'role:manage'),
    },
    values: assignedRole,
    conflict: withAnother('path.id', 'role'),
  },
}

const registrationLink: OperationSample = {
  references: { 'body.token': 'credential' },
  async values({ market }) {
    const { token, hash } = newSecretToken()
    await insertRegistration(market.db.owner, hash)
    return { 'body.token': token }
  },
}

const orgSamples: Record<string, OperationSample> = {
  getOrg: { references: { 'path.id': 'shared' }, values: (_, { orgId }) => ({ 'path.id': orgId }) },
  listEngagedOrgs: { by: 'distributor' },
  batchGetOrgs: { references: { 'body.ids.0': 'shared' } },
  createOrg: {
    by: 'operator',
    references: { 'body.distributorOrgId': 'shared', 'body.regionCode': 'shared' },
    values: async (fixtures) => ({
      'body.engagement': 'DISTRIBUTOR',
      'body.distributorOrgId': (await fixtures.organization('distributor')).orgId,
      'body.administrator.email': newEmail(),
      'body.mail': false,
    }),
    conflict: withOwnEmail('body.administrator.email'),
  },
  patchOrg: {
    by: 'operator',
    references: { 'path.id': 'shared', 'body.distributorOrgId': 'shared', 'body.regionCode': 'shared' },
    values: async (fixtures) => ({
      'path.id': (await fixtures.organization('operator')).orgId,
      body: { name: 'Operator', website: 'https://operator.example.com' },
    }),
    async conflict(fixtures, _, input) {
      const { orgId } = await fixtures.organization('distributor')
      await fixtures.market.organization(['CONSUMER'], { distributorOrgId: orgId })
      return withValue(withValue(input, 'path.id', orgId), 'body', { roles: ['SELLER'] })
    },
  },
}

const labelSamples: Record<string, OperationSample> = {
  getRegistration: {
    by: 'operator',
    references: { 'path.id': 'shared' },
    values: async ({ market }) => ({ 'path.id': await insertRegistration(market.db.owner) }),
  },
  listRegistrations: { by: 'operator' },
  approveRegistration: {
    by: 'operator',
    references: { 'path.id': 'shared' },
    values: async ({ market }) => ({ 'path.id': await insertRegistration(market.db.owner) }),
    conflict: 'race',
  },
  rejectRegistration: {
    by: 'operator',
    references: { 'path.id': 'shared' },
    values: async ({ market }) => ({ 'path.id': await insertRegistration(market.db.owner) }),
    conflict: 'race',
  },
  introspectRegistration: registrationLink,
  confirmRegistration: registrationLink,
  createRegistration: { references: { 'body.organization.regionCode': 'shared' } },
  getBusinessUnit: { references: { 'path.id': 'businessUnit' } },
  createBusinessUnit: {
    values: () => ({ 'body.name': newName() }),
    conflict: withAnother('body.name', 'businessUnit'),
  },
  patchBusinessUnit: {
    references: { 'path.id': 'businessUnit' },
    values: () => ({ 'body.name': newName() }),
    conflict: withAnother('body.name', 'businessUnit'),
  },
  deleteBusinessUnit: {
    references: { 'path.id': 'businessUnit' },
    async conflict(fixtures, account, input) {
      const id = await make('businessUnit', fixtures, account)
      await createPart(fixtures, account, { businessUnitIds: [id] })
      return withValue(input, 'path.id', id)
    },
  },
  getCustomField: { references: { 'path.id': 'customField' } },
  createCustomField: { values: () => ({ 'body.name': newName() }), conflict: withAnother('body.name', 'customField') },
  patchCustomField: {
    references: {
      'path.id': 'customField',
      'body.options.0.id': unfit('optionOfAnotherField', 400, 'org:admin'),
    },
    values: () => ({ 'body.name': newName(), 'body.options': [{ name: 'New' }] }),
    conflict: withAnother('body.name', 'customField'),
  },
  deleteCustomField: {
    references: { 'path.id': 'customField' },
    async conflict(fixtures, account, input) {
      const choice = (await make('customOption', fixtures, account)) as { fieldId: string; optionId: string }
      await createPart(fixtures, account, { customFields: [choice] })
      return withValue(input, 'path.id', choice.fieldId)
    },
  },
}

/** The link of an address that is not confirmed. */
const confirmation: OperationSample = {
  references: { 'body.token': 'credential' },
  async values({ market }, account) {
    const { token, hash: confirmationHash } = newSecretToken()
    await insertMailAddress(market.db.owner, account, { confirmationHash })
    return { 'body.token': token }
  },
}

const mailSamples: Record<string, OperationSample> = {
  sendOwnConfirmation: {
    async values({ market }, { orgId, userId }) {
      await market.db.owner`delete from organization.mails where org_id = ${orgId}`
      await market.db
        .owner`update organization.user_notifications set proved_email_key = null where user_id = ${userId}`
      return {}
    },
    async conflict({ market }, { userId }, input) {
      await market.db.owner`
        insert into organization.user_notifications (user_id, proved_email_key)
        select id, email_key from organization.users where id = ${userId}
        on conflict (user_id) do update set proved_email_key = excluded.proved_email_key`
      return input
    },
  },
  getMailAddress: { references: { 'path.id': 'mailAddress' } },
  createMailAddress: {
    // Each request needs room below the limits.
    async values({ market }, { orgId }) {
      await market.db.owner`delete from organization.mails where org_id = ${orgId}`
      await market.db.owner`
        delete from organization.mail_addresses where org_id = ${orgId} and id not in (
          select id from organization.mail_addresses where org_id = ${orgId} order by id desc limit 5)`
      return { 'body.email': newEmail() }
    },
    conflict: withAnother('body.email', 'mailAddressEmail'),
  },
  patchMailAddress: { references: { 'path.id': 'mailAddress' } },
  sendMailAddressConfirmation: {
    references: { 'path.id': 'mailAddress' },
    async values({ market }, { orgId }) {
      await market.db.owner`delete from organization.mails where org_id = ${orgId}`
      return {}
    },
    async conflict(fixtures, account, input) {
      const id = await make('mailAddress', fixtures, account)
      await fixtures.market.db.owner`
        update organization.mail_addresses set confirmed_at = now(), confirmable_until = null where id = ${id as string}`
      return withValue(input, 'path.id', id)
    },
  },
  deleteMailAddress: { references: { 'path.id': 'mailAddress' } },
  introspectMailAddress: confirmation,
  confirmMailAddress: confirmation,
  unsubscribeMailAddress: {
    references: { 'query.token': 'credential' },
    async values({ market }, account) {
      const unsubscribeToken = newSecretToken().token
      await insertMailAddress(market.db.owner, account, { unsubscribeToken })
      return { 'query.token': unsubscribeToken }
    },
  },
}

/** The operations of the organization service. */
export const PEOPLE_SAMPLES: Record<string, OperationSample> = {
  ...userSamples,
  ...roleSamples,
  ...orgSamples,
  ...labelSamples,
  ...mailSamples,
}
