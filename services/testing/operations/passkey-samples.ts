import { decodeJwt } from 'jose'
import { MAX_PASSKEYS } from '../../../proto/http/identity/passkeys.ts'
import { TestAuthenticator } from '../authenticator.ts'
import type { Account, Fixtures } from '../fixtures.ts'
import { TEST_PASSWORD } from '../marketplace.ts'
import { withValue } from './inputs.ts'
import { type OperationSample, type PrivateReference, without } from './operation-sample.ts'
import { insertedChallenge, insertedPasskey, removePasskeys } from './passkey-records.ts'

const ofColleague: PrivateReference = { record: 'colleaguePasskey', own: () => 404 }
const OWN = { 'path.id': ['passkey', ofColleague] } satisfies OperationSample['references']

const fill = async ({ market }: Fixtures, account: Account) => {
  for (let n = 0; n < MAX_PASSKEYS; n++) await insertedPasskey(market, account, MAX_PASSKEYS)
}

/** The session of the client that sends the requests of an account. */
async function sessionOf(fixtures: Fixtures, account: Account): Promise<string> {
  const { accessToken = '' } = await fixtures.clientOf(account)
  return String(decodeJwt(accessToken).sid)
}

async function attestationFor(fixtures: Fixtures, account: Account) {
  const { market } = fixtures
  const sessionId = await sessionOf(fixtures, account)
  const { creation } = await insertedChallenge(market, 'REGISTRATION', { person: account, sessionId })
  return new TestAuthenticator(market.config.PUBLIC_URL).create(creation)
}

export const PASSKEY_SAMPLES: Record<string, OperationSample> = {
  listPasskeys: {
    references: { 'query.userId': ['user', { record: 'colleague', own: without('user:manage', 403) }] },
  },
  getPasskey: { references: OWN },
  patchPasskey: { references: OWN },
  deletePasskey: {
    // Another organization, because the conflict requires a second factor in it.
    by: 'otherOwner',
    references: OWN,
    async conflict(fixtures, account, input) {
      const { market } = fixtures
      const { id } = await insertedPasskey(market, account, 0)
      await market.db.owner`update organization.organizations set second_factor = true where id = ${account.orgId}`
      return withValue(input, 'path.id', id)
    },
  },
  confirmWithPasskey: {
    async values({ market }, account) {
      await insertedPasskey(market, account)
      return {}
    },
    async conflict({ market }, account, input) {
      await removePasskeys(market, account)
      return input
    },
  },
  startPasskey: {
    costly: true,
    references: { 'body.assertion.id': 'credential', 'body.assertion.userHandle': 'credential' },
    async values({ market }, account) {
      await insertedPasskey(market, account)
      return { body: { currentPassword: TEST_PASSWORD } }
    },
    async conflict(fixtures, account, input) {
      await fill(fixtures, account)
      return input
    },
  },
  createPasskey: {
    async values(fixtures, account) {
      await insertedPasskey(fixtures.market, account)
      return { 'body.credential': await attestationFor(fixtures, account) }
    },
    async conflict(fixtures, account, input) {
      await fill(fixtures, account)
      return withValue(input, 'body.credential', await attestationFor(fixtures, account))
    },
  },
  signInWithPassword: {
    costly: true,
    values: (_, { email }) => ({ body: { username: email, password: TEST_PASSWORD } }),
  },
  signInWithPasskey: {
    references: { 'body.assertion.id': 'credential', 'body.assertion.userHandle': 'credential' },
    async values({ market }, account) {
      const { authenticator } = await insertedPasskey(market, account)
      const { request, cookie } = await insertedChallenge(market, 'SIGN_IN', {})
      return { 'body.assertion': authenticator.get(request), 'header.cookie': cookie }
    },
  },
  signInWithFirstPasskey: {
    // Another organization, because the person must have no passkey yet.
    by: 'consumer',
    async values({ market }, account) {
      await removePasskeys(market, account)
      const { creation, cookie } = await insertedChallenge(market, 'FIRST_PASSKEY', { person: account })
      const credential = new TestAuthenticator(market.config.PUBLIC_URL).create(creation)
      return { 'body.credential': credential, 'header.cookie': cookie }
    },
  },
  patchSignInSettings: {
    // Requiring a second factor would end the sign-ins of the other samples.
    values: () => ({ 'body.secondFactor': false }),
    async conflict({ market }, account, input) {
      await removePasskeys(market, account)
      return withValue(input, 'body.secondFactor', true)
    },
  },
}
