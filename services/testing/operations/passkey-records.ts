import { insertChallenge, insertPasskey } from '../../identity/passkeys/queries.ts'
import { type Purpose, relyingPartyOf } from '../../identity/passkeys/rules.ts'
import { verifiedCredential } from '../../identity/passkeys/webauthn.ts'
import { newId } from '../../kit/db/ids.ts'
import { newSecretToken } from '../../kit/secrets/tokens.ts'
import { TestAuthenticator } from '../authenticator.ts'
import { type Account, ALL_KINDS } from '../fixtures.ts'
import type { TestMarketplace } from '../marketplace.ts'
import { SAMPLE } from './passkey-challenges.ts'
import { recordOf } from './record-kind.ts'

type Person = Pick<Account, 'orgId' | 'userId'>

const now = () => new Date().toISOString()

/** Options of a challenge of its own, for a passkey that is inserted. */
const creationFor = (rpId: string, userId: string) => ({
  challenge: newSecretToken().token,
  rp: { id: rpId, name: 'Marketplace' },
  user: { id: Buffer.from(userId).toString('base64url'), name: userId, displayName: userId },
  pubKeyCredParams: [],
  timeout: 1,
  attestation: 'none' as const,
  excludeCredentials: [],
  authenticatorSelection: {
    residentKey: 'required' as const,
    requireResidentKey: true,
    userVerification: 'required' as const,
  },
})

/** A passkey of a person, with its authenticator. The newest ones of the person stay, for requests that use them. */
export async function insertedPasskey({ db, config }: TestMarketplace, { orgId, userId }: Person, kept = 5) {
  const rp = relyingPartyOf(config.PUBLIC_URL)
  const authenticator = new TestAuthenticator(config.PUBLIC_URL)
  const options = creationFor(rp.id, userId)
  const credential = await verifiedCredential(rp, options.challenge, authenticator.create(options))
  if (!credential) throw new Error('the credential is not valid')
  const id = newId('passkey')
  await db.owner`
    delete from identity.passkeys where user_id = ${userId} and id not in (
      select id from identity.passkeys where user_id = ${userId} order by id desc limit ${kept})`
  const passkey = { ...credential, id, orgId, userId, rpId: rp.id, name: 'Laptop', lastUsedAt: null }
  await db.owner.begin((tx) => insertPasskey(tx, passkey, now()))
  return { id, authenticator, rpId: rp.id }
}

export const removePasskeys = ({ db }: TestMarketplace, { userId }: Person) =>
  db.owner`delete from identity.passkeys where user_id = ${userId}`

/** An open challenge, and what an authenticator gets of it. */
export async function insertedChallenge(
  { db, config }: TestMarketplace,
  purpose: Purpose,
  { person, sessionId }: { person?: Person; sessionId?: string },
) {
  const [challenge, browser] = [newSecretToken(), newSecretToken()]
  const expiresAt = new Date(Date.now() + 60_000).toISOString()
  const sender = sessionId === undefined ? { browserHash: browser.hash } : { sessionId }
  const user = person && { userId: person.userId, sessionVersion: 1 }
  const stored = { ...sender, ...(user && { user }), hash: challenge.hash, purpose, network: SAMPLE, expiresAt }
  // Otherwise they would reach the limit of a network.
  await db.owner`delete from identity.passkey_challenges where network = ${SAMPLE} and created_at < now() - interval '20 seconds'`
  await insertChallenge(db.owner, stored, now())
  const { id } = relyingPartyOf(config.PUBLIC_URL)
  return {
    cookie: `marketplace-passkey=${browser.token}`,
    request: { challenge: challenge.token, rpId: id, timeout: 1, userVerification: 'required' as const },
    creation: { ...creationFor(id, person?.userId ?? ''), challenge: challenge.token },
  }
}

/** Passkeys of the account. Those of others are not found. */
export const PASSKEY_RECORDS = {
  passkey: recordOf(ALL_KINDS, 'passkey', async ({ market }, account) => (await insertedPasskey(market, account)).id),
  colleaguePasskey: recordOf(ALL_KINDS, 'passkey', async (fixtures, { kind, standing }) => {
    const colleague = await fixtures.account(kind, standing === 'powerless' ? 'member' : 'powerless')
    return (await insertedPasskey(fixtures.market, colleague)).id
  }),
}
