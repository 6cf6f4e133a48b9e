import type { AllConfig } from '../all/config.ts'
import { redeemActivation } from '../identity/activations/commands.ts'
import { ensureKeys } from '../identity/keys/commands.ts'
import { createSigner } from '../identity/keys/signer.ts'
import type { PasswordDeps } from '../identity/passwords/commands.ts'
import { createHashing, type Hashing } from '../identity/passwords/hashing.ts'
import { signIn } from '../identity/tokens/commands.ts'
import type { TokenDeps } from '../identity/tokens/open-session.ts'
import type { AuditContext } from '../kit/audit/context.ts'
import { connect } from '../kit/db/client.ts'
import { createSecretBox } from '../kit/secrets/box.ts'
import { AUDIENCE } from '../kit/service/service.ts'
import { ApiClient } from './client.ts'
import type { TestDatabase } from './database.ts'

/** Occurs in no document, so that tests can search for leaks of it. */
export const TEST_PASSWORD = 'the password of every test user'

const { signal: NEVER_ABORTED } = new AbortController()

/** Sets the password of an invited user and signs the user in. */
export type SignInInvited = (activationToken: string, email: string) => Promise<ApiClient>

/** Signs in a user with the common test password. */
export type OpenSession = (email: string) => ReturnType<typeof signIn>

export const signInOverHttp =
  (url: string): SignInInvited =>
  async (activationToken, email) => {
    const client = new ApiClient(url)
    await client.activate(activationToken, TEST_PASSWORD)
    await client.signIn(email, TEST_PASSWORD)
    return client
  }

interface SignInOptions {
  url: string
  config: Pick<AllConfig, 'ENCRYPTION_KEYS' | 'PUBLIC_URL' | 'ACCESS_TOKEN_SECONDS'>
  clock: () => number
}

/**
 * Calls the commands of the product directly and hashes the common test password only once per process. The database
 * content is the same as after requests over HTTP.
 */
export async function signInByCommands(
  db: TestDatabase,
  { url, config, clock }: SignInOptions,
): Promise<{ signInInvited: SignInInvited; openSession: OpenSession }> {
  const sql = connect(db.urlOf('identity'), { max: 1, applicationName: 'test-sign-in' })
  db.beforeDrop(() => sql.end({ timeout: 1 }))
  const box = await createSecretBox(config.ENCRYPTION_KEYS)
  const accessTokenSeconds = config.ACCESS_TOKEN_SECONDS
  const tokenOptions = { issuer: config.PUBLIC_URL, audience: AUDIENCE, accessTokenSeconds }
  const deps: TokenDeps & PasswordDeps = {
    sql,
    clock,
    now: () => new Date(clock()).toISOString(),
    hashing: memoizedHashing,
    sign: createSigner({ sql, box, clock, ...tokenOptions }),
    accessTokenSeconds,
    dummyHash: '',
    refreshSecret: await ensureKeys(sql, box, new Date(clock()).toISOString()),
  }
  const openSession: OpenSession = (email) => {
    const auditContext = contextOf('auth.signIn', { grant_type: 'password' })
    return signIn(deps, { username: email, password: TEST_PASSWORD }, auditContext, NEVER_ABORTED)
  }
  return {
    openSession,
    async signInInvited(activationToken, email) {
      await redeemActivation(
        deps,
        { token: activationToken, password: TEST_PASSWORD },
        contextOf('activation.redeem', {}),
        NEVER_ABORTED,
      )
      const tokens = await openSession(email)
      const client = new ApiClient(url, tokens.access_token)
      client.refreshToken = tokens.refresh_token
      return client
    },
  }
}

const hashing = createHashing({ slots: 8, maxWaiting: 10_000 })
let testPasswordHash: Promise<string> | undefined

const memoizedHashing: Hashing = {
  ...hashing,
  hash: (password) => {
    if (password !== TEST_PASSWORD) return hashing.hash(password)
    testPasswordHash ??= hashing.hash(password)
    return testPasswordHash
  },
  verify: async (password, hash) =>
    (password === TEST_PASSWORD && hash === (await testPasswordHash)) || hashing.verify(password, hash),
}

const contextOf = (procedure: AuditContext['procedure'], request: Record<string, unknown>): AuditContext => ({
  procedure,
  ipAddress: '127.0.0.1',
  userAgent: `Bun/${Bun.version}`,
  request,
})
