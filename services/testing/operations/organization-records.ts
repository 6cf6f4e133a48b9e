import type { Sql } from '../../kit/db/client.ts'
import { newId } from '../../kit/db/ids.ts'
import { newSecretToken } from '../../kit/secrets/tokens.ts'
import { insertBusinessUnit } from '../../organization/business-units/queries.ts'
import { insertCustomField, upsertOption } from '../../organization/custom-fields/queries.ts'
import { insertAddress } from '../../organization/mail-addresses/queries.ts'
import { insertRole } from '../../organization/roles/queries.ts'
import { type Account, ALL_KINDS, type Fixtures } from '../fixtures.ts'
import type { TestUser } from '../marketplace.ts'
import { openGrant, openSession } from '../sessions.ts'
import { recordOf } from './record-kind.ts'

const now = () => new Date().toISOString()

/** Another user of the same organization. */
const colleagueOf = (fixtures: Fixtures, { kind, standing }: Account): Promise<TestUser> =>
  fixtures.account(kind, standing === 'powerless' ? 'member' : 'powerless')

async function createField({ market }: Fixtures, { orgId }: Account) {
  const [fieldId, optionId] = [newId('field'), newId('option')]
  await insertCustomField(market.db.owner, { id: fieldId, orgId, name: fieldId }, now())
  await upsertOption(market.db.owner, { id: optionId, orgId, fieldId, name: optionId, position: 0 })
  return { fieldId, optionId }
}

/** A new user of the account's organization, whom commands on users can change. */
const inviteTo = async (fixtures: Fixtures, { kind }: Account) =>
  (await (await fixtures.organization(kind)).invite()).userId

/** Inserts a mail address that is not confirmed. Its e-mail address has its id as the name. */
export async function insertMailAddress(
  owner: Sql,
  { orgId, userId: createdBy }: Pick<Account, 'orgId' | 'userId'>,
  { confirmationHash = newSecretToken().hash, unsubscribeToken = newSecretToken().token } = {},
): Promise<string> {
  const id = newId('maddr')
  const email = `${id}@example.org`
  const address = { id, orgId, email, topics: ['ORDERS'] as const, createdBy, confirmationHash, unsubscribeToken }
  await insertAddress(owner, address, now())
  return id
}

const mailAddressOf = ({ market }: Fixtures, account: Account) => insertMailAddress(market.db.owner, account)

/** Inserts a registration that waits for the operator, or for the use of its link. */
export async function insertRegistration(owner: Sql, linkHash?: Uint8Array): Promise<string> {
  const id = newId('registration')
  const email = `${id}@example.org`
  const content = {
    organization: { name: id, regionCode: 'DK', roles: ['MANUFACTURER'] },
    user: { email, givenName: 'Ida', familyName: 'Holm' },
  }
  await owner`
    insert into organization.registrations (id, content, email, email_key, name, handled, state, confirmation_hash,
      created_at, confirmed_at)
    values (${id}, ${JSON.stringify(content)}::text::json, ${email}, ${email.toLowerCase()}, ${id}, true,
      ${linkHash ? 'UNCONFIRMED' : 'PENDING'}, ${linkHash ? Buffer.from(linkHash) : null}, ${now()},
      ${linkHash ? null : now()})`
  return id
}

/** Users, roles, labels, sessions and audit entries of the account's organization. */
export const ORGANIZATION_RECORDS = {
  businessUnit: recordOf(ALL_KINDS, 'bu', async ({ market }, { orgId }) => {
    const id = newId('bu')
    await insertBusinessUnit(market.db.owner, { id, orgId, name: id }, now())
    return id
  }),
  mailAddress: recordOf(ALL_KINDS, 'maddr', mailAddressOf),
  mailAddressEmail: {
    owners: ALL_KINDS,
    make: async (fixtures: Fixtures, account: Account) => `${await mailAddressOf(fixtures, account)}@example.org`,
    random: () => `${newId('maddr')}@example.org`,
  },
  customOption: {
    owners: ALL_KINDS,
    make: createField,
    random: () => ({ fieldId: newId('field'), optionId: newId('option') }),
  },
  customField: recordOf(
    ALL_KINDS,
    'field',
    async (fixtures, account) => (await createField(fixtures, account)).fieldId,
  ),
  optionOfAnotherField: recordOf(
    ALL_KINDS,
    'option',
    async (fixtures, account) => (await createField(fixtures, account)).optionId,
  ),
  role: recordOf(ALL_KINDS, 'role', async ({ market }, { orgId }) => {
    const id = newId('role')
    await insertRole(market.db.owner, { id, orgId, name: id, permissions: [], system: false }, now())
    return id
  }),
  invited: recordOf(ALL_KINDS, 'user', inviteTo),
  inactiveUser: recordOf(ALL_KINDS, 'user', async (fixtures, account) => {
    const userId = await inviteTo(fixtures, account)
    await fixtures.market.db.owner`update organization.users set active = false where id = ${userId}`
    return userId
  }),
  user: recordOf(ALL_KINDS, 'user', async (_, { userId }) => userId),
  colleague: recordOf(ALL_KINDS, 'user', async (fixtures, account) => (await colleagueOf(fixtures, account)).userId),
  auditEntry: recordOf(ALL_KINDS, 'audit', async ({ market }, { orgId, userId }) => {
    const id = newId('audit')
    await market.db.owner`
        insert into organization.audit_log (id, org_id, procedure, success, actor_id)
        values (${id}, ${orgId}, 'part.create', true, ${userId})`
    return id
  }),
  grant: recordOf(ALL_KINDS, 'grant', async (fixtures, account) => {
    const id = newId('grant')
    await openGrant(fixtures.market, await colleagueOf(fixtures, account), {
      grantId: id,
      actingEmail: 'support@example.com',
    })
    return id
  }),
  session: recordOf(ALL_KINDS, 'sess', async ({ market }, account) => (await openSession(market, account)).id),
  colleagueSession: recordOf(
    ALL_KINDS,
    'sess',
    async (fixtures, account) => (await openSession(fixtures.market, await colleagueOf(fixtures, account))).id,
  ),
  accessToken: {
    owners: ALL_KINDS,
    make: async ({ market }: Fixtures, account: Account) => (await openSession(market, account)).accessToken,
    random: () => unsignedToken(),
  },
  refreshToken: {
    owners: ALL_KINDS,
    make: async ({ market }: Fixtures, account: Account) => (await openSession(market, account)).refreshToken,
    random: () => newSecretToken().token,
  },
}

/** Has the form of an access token, without a valid signature. */
function unsignedToken(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const header = part({ alg: 'ES256', typ: 'at+jwt', kid: newId('key') })
  return `${header}.${part({ sub: newId('user'), sid: newId('sess') })}.${newSecretToken().token.repeat(2)}`
}
