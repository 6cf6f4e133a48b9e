import { newId } from '../../kit/db/ids.ts'
import { insertAccount, insertKey } from '../../organization/service-accounts/queries.ts'
import { newClientSecret } from '../../organization/service-accounts/secret.ts'
import { type Account, ALL_KINDS, type Fixtures } from '../fixtures.ts'
import type { ClientKey } from '../service-accounts.ts'
import { recordOf } from './record-kind.ts'

interface AccountWithKey extends ClientKey {
  userId: string
}

export async function insertedAccount({ market }: Fixtures, { orgId }: Account): Promise<string> {
  const id = newId('user')
  const email = `${id.toLowerCase()}@service-accounts.example.com`
  const now = new Date().toISOString()
  await market.db.owner.begin((tx) =>
    insertAccount(tx, { id, orgId, email, name: id, description: undefined, lineage: {} }, now),
  )
  return id
}

/** Creates a service account of the account's organization, with a key. */
export async function accountWithKey(fixtures: Fixtures, account: Account): Promise<AccountWithKey> {
  const userId = await insertedAccount(fixtures, account)
  return { userId, ...(await insertedKey(fixtures, account, userId)) }
}

export async function insertedKey(fixtures: Fixtures, account: Account, userId: string): Promise<ClientKey> {
  const { secret, hash, shown } = newClientSecret()
  const id = newId('sak')
  const { orgId, userId: createdBy } = account
  const key = { id, userId, orgId, createdBy, secretHash: hash, secretPrefix: shown, networks: [] }
  const now = new Date().toISOString()
  const chain = { lineage: {}, keeperIds: [createdBy], originAt: now }
  await fixtures.market.db.owner.begin((tx) =>
    insertKey(tx, { ...key, ...chain, description: undefined, expiresAt: undefined }, now),
  )
  return { clientId: id, clientSecret: secret }
}

export const SERVICE_ACCOUNT_RECORDS = {
  serviceAccount: recordOf(ALL_KINDS, 'user', insertedAccount),
  serviceAccountKey: recordOf(
    ALL_KINDS,
    'sak',
    async (fixtures, account) => (await accountWithKey(fixtures, account)).clientId,
  ),
}
