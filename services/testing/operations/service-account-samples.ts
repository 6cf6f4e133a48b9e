import { MAX_LIVE_KEYS, MAX_SERVICE_ACCOUNTS } from '../../../proto/http/organization/service-accounts.ts'
import type { Account, Fixtures } from '../fixtures.ts'
import { TEST_PASSWORD } from '../marketplace.ts'
import type { RecordName } from '../records.ts'
import { openSession } from '../sessions.ts'
import { withValue } from './inputs.ts'
import { type OperationSample, unfit } from './operation-sample.ts'
import { accountWithKey, insertedAccount, insertedKey } from './service-account-records.ts'

/** An account and the key of another one are not found together. */
const ofOther = (record: RecordName) => unfit(record, 404, 'user:manage')

const clientFields = async (fixtures: Fixtures, account: Account) => {
  const { clientId, clientSecret } = await accountWithKey(fixtures, account)
  return { client_id: clientId, client_secret: clientSecret }
}

/** Service accounts, and the endpoints of OAuth. */
export const SERVICE_ACCOUNT_SAMPLES: Record<string, OperationSample> = {
  createOauthToken: {
    costly: true,
    references: { 'body.refresh_token': 'credential' },
    values: (_, { email }) => ({ body: { grant_type: 'password', username: email, password: TEST_PASSWORD } }),
  },
  revokeOauthToken: {
    references: { 'body.token': 'credential' },
    values: async ({ market }, account) => ({ body: { token: (await openSession(market, account)).accessToken } }),
  },
  introspectOauthToken: {
    references: { 'body.token': 'credential' },
    values: async (fixtures, account) => {
      const { accessToken } = await openSession(fixtures.market, account)
      return { body: { token: accessToken, ...(await clientFields(fixtures, account)) } }
    },
  },
  createServiceAccount: {
    // Another organization, because the sample uses up its limit of service accounts.
    by: 'otherOwner',
    references: { 'body.roleIds.0': 'role' },
    conflict: async (fixtures, account, input) => {
      for (let n = 0; n < MAX_SERVICE_ACCOUNTS; n++) await insertedAccount(fixtures, account)
      return input
    },
  },
  getServiceAccount: { references: { 'path.id': 'serviceAccount' } },
  patchServiceAccount: { references: { 'path.id': 'serviceAccount' } },
  listServiceAccountKeys: { references: { 'path.id': 'serviceAccount' } },
  createServiceAccountKey: {
    references: { 'path.id': 'serviceAccount' },
    values: () => ({ 'body.expireTime': new Date(Date.now() + 60 * 60 * 1000).toISOString() }),
    conflict: async (fixtures, account, input) => {
      const id = await insertedAccount(fixtures, account)
      for (let n = 0; n < MAX_LIVE_KEYS; n++) await insertedKey(fixtures, account, id)
      return withValue(input, 'path.id', id)
    },
  },
  revokeServiceAccountKey: {
    references: { 'path.id': ofOther('serviceAccount'), 'path.keyId': ofOther('serviceAccountKey') },
    values: async (fixtures, account) => {
      const { userId, clientId } = await accountWithKey(fixtures, account)
      return { 'path.id': userId, 'path.keyId': clientId }
    },
    conflict: 'race',
  },
}
