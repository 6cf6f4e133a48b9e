import type { Passkey, PasskeyCreationOptions, PasskeyRequestOptions } from '../../proto/http/identity/passkeys.ts'
import type { SignInStep, SignInTokenSet } from '../../proto/http/identity/sign-in.ts'
import { type Lies, TestAuthenticator } from './authenticator.ts'
import { ApiClient, succeeded } from './client.ts'
import { TEST_PASSWORD, type TestMarketplace, type TestOrganization, type TestUser } from './marketplace.ts'
import type { Answer, Problem } from './people.ts'
import { openSession } from './sessions.ts'

export const PASSKEYS = '/flows/v1/passkeys'
const SIGN_IN = '/flows/v1/sign-in'

/** Adds a passkey to the account of a signed-in person, confirmed by the password. */
export async function addPasskey(
  { config }: TestMarketplace,
  client: ApiClient,
  { authenticator = new TestAuthenticator(config.PUBLIC_URL), name = 'Work laptop' } = {},
): Promise<{ authenticator: TestAuthenticator; passkey: Passkey }> {
  const options = await startedPasskey(client)
  const passkey = await succeeded(client.post<Passkey>(PASSKEYS, { name, credential: authenticator.create(options) }))
  return { authenticator, passkey }
}

/** The challenge for a new passkey, after the password. */
export async function startedPasskey(client: ApiClient): Promise<PasskeyCreationOptions> {
  return succeeded(client.post<PasskeyCreationOptions>(`${PASSKEYS}/start`, { currentPassword: TEST_PASSWORD }))
}

/** The console's way to sign in, in one browser with its cookie. */
export class SignInBrowser {
  readonly #client: ApiClient
  readonly #address: string
  cookie: string | undefined

  /** `address`: where it seems to be, for a marketplace that trusts one proxy. */
  constructor({ url }: { url: string }, address = '203.0.113.1') {
    this.#client = new ApiClient(url)
    this.#address = address
  }

  async #post<T>(path: string, body?: unknown): Answer<T> {
    const cookie: Record<string, string> = this.cookie === undefined ? {} : { cookie: this.cookie }
    const headers = { ...cookie, 'x-forwarded-for': this.#address }
    const answer = await this.#client.post<T & Problem>(`${SIGN_IN}${path}`, body, headers)
    const [set] = answer.headers.getSetCookie()
    if (set) this.cookie = set.split(';')[0]
    return answer
  }

  password = (username: string, password = TEST_PASSWORD) => this.#post<SignInStep>('/password', { username, password })

  start = () => this.#post<PasskeyRequestOptions>('/passkey/start')

  finish = (assertion: object) => this.#post<SignInTokenSet>('/passkey', { assertion })

  first = (credential: object, name = 'Phone') => this.#post<SignInTokenSet>('/first-passkey', { name, credential })

  /** Signs in by a passkey alone. */
  async byPasskey(authenticator: TestAuthenticator, lies?: Lies, index?: number) {
    return this.finish(authenticator.get((await this.start()).body, lies, index))
  }
}

/** The status of the password grant. */
export const signsInByPassword = async ({ anonymous }: TestMarketplace, username: string, password = TEST_PASSWORD) =>
  (await anonymous.post('/v2.3/oauth/token', { grant_type: 'password', username, password })).status

/** Types of the events of a passkey, in order. */
export const passkeyEvents = async ({ db }: TestMarketplace, id: string): Promise<string[]> =>
  (await db.owner<{ type: string }[]>`select type from identity.outbox where subject = ${id} order by seq`).map(
    ({ type }) => type,
  )

/** A member with a password, where a second factor keeps the password alone from signing in. */
export async function strictMember(market: TestMarketplace, org: TestOrganization): Promise<TestUser> {
  const { userId, email, activationToken } = await org.invite()
  await market.anonymous.activate(activationToken, TEST_PASSWORD)
  const user = { userId, orgId: org.orgId, email }
  const client = new ApiClient(market.url)
  const session = await openSession(market, { ...user, client })
  client.accessToken = session.accessToken
  client.refreshToken = session.refreshToken
  return { ...user, client }
}

/** Requires a second factor in the organization of an administrator, who gets a passkey. */
export async function requireSecondFactor(market: TestMarketplace, administrator: ApiClient) {
  const added = await addPasskey(market, administrator)
  await succeeded(administrator.send('PATCH', '/flows/v1/sign-in-settings', { body: { secondFactor: true } }))
  return added
}

let phones = 0

/** Signs in by the password, and registers the first passkey. */
export async function enrolled(market: TestMarketplace, { email }: TestUser, password = TEST_PASSWORD) {
  const browser = new SignInBrowser(market, `192.0.2.${++phones}`)
  const { firstPasskey } = (await browser.password(email, password)).body
  if (!firstPasskey) throw new Error('no passkey was asked for')
  const authenticator = new TestAuthenticator(market.config.PUBLIC_URL)
  return { authenticator, answer: await browser.first(authenticator.create(firstPasskey)) }
}
