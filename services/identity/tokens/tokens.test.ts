import { describe, expect, test } from 'bun:test'
import { ApiClient } from '../../testing/client.ts'
import { marketplaceOf, RACING, TEST_PASSWORD } from '../../testing/marketplace.ts'

interface Tokens {
  access_token: string
  token_type: string
  expires_in: number
  refresh_token: string
}

const market = await marketplaceOf(['sourcing'], RACING)
const org = await market.organization(['IP_OWNER'])

const token = (body: unknown, headers: Record<string, string> = {}) =>
  market.anonymous.post<Tokens & { error: { code: string; message: string; details?: { field: string }[] } }>(
    '/v2.3/oauth/token',
    body,
    headers,
  )
const signIn = (username: string, password: string) => token({ grant_type: 'password', username, password })
const refresh = (refresh_token: string) => token({ grant_type: 'refresh_token', refresh_token })
const entries = (procedure: string, actorId: string) => market.db.owner<
  { success: boolean; error: string | null; ip_address: string; user_agent: string; request: unknown }[]
>`select success, error, ip_address, user_agent, request from organization.audit_log
  where procedure = ${procedure} and actor_id = ${actorId} order by id`

describe('grant_type password', () => {
  test('returns a token response with no-store', async () => {
    const { userId, email } = await org.member([])
    const answer = await signIn(email, TEST_PASSWORD)
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.body).sort()).toEqual(['access_token', 'expires_in', 'refresh_token', 'token_type'])
    expect(answer.body).toMatchObject({ token_type: 'Bearer', expires_in: 900 })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const claims = JSON.parse(Buffer.from(answer.body.access_token.split('.')[1] as string, 'base64url').toString())
    expect(claims).toMatchObject({ sub: userId, org: org.orgId, aud: 'marketplace' })
    expect([claims.iat, claims.exp].every(Number.isInteger)).toBe(true)
    expect(Object.keys(claims).sort()).toEqual([
      'aud',
      'client_id',
      'exp',
      'iat',
      'iss',
      'jti',
      'org',
      'session_version',
      'sid',
      'sub',
    ])
  })

  test('the e-mail address is case-insensitive', async () => {
    expect((await signIn(org.administrator.email.toUpperCase(), TEST_PASSWORD)).status).toBe(200)
  })

  test('a password matches in another Unicode composition', async () => {
    const user = await org.member([])
    const answer = await user.client.post('/flows/v1/password/change', {
      currentPassword: TEST_PASSWORD,
      newPassword: 'Caf\u00e9 am Hafen 12',
    })
    expect(answer.status).toBe(204)
    expect((await signIn(user.email, 'Cafe\u0301 am Hafen 12')).status).toBe(200)
  })

  test('a wrong password, an unknown user and an inactive user are the same 401', async () => {
    const user = await org.member([])
    await market.db.owner`update organization.users set active = false where id = ${user.userId}`
    const answers = await Promise.all([
      signIn(org.administrator.email, 'a wrong password'),
      signIn('unknown@example.com', TEST_PASSWORD),
      signIn(user.email, TEST_PASSWORD),
    ])
    for (const answer of answers) {
      expect(answer.status).toBe(401)
      expect(answer.text).toBe(answers[0]?.text as string)
    }
    expect(answers[0]?.body.error.code).toBe('invalid_credentials')
  })

  test('with a corrupt stored hash is 401', async () => {
    const user = await org.member([])
    await market.db.owner`update identity.credentials set password_hash = 'broken' where user_id = ${user.userId}`
    expect((await signIn(user.email, TEST_PASSWORD)).status).toBe(401)
  })

  test('a hash with outdated parameters is upgraded', async () => {
    const user = await org.member([])
    const old = await Bun.password.hash(TEST_PASSWORD, { algorithm: 'argon2id', memoryCost: 8192, timeCost: 1 })
    await market.db.owner`update identity.credentials set password_hash = ${old} where user_id = ${user.userId}`
    expect((await signIn(user.email, TEST_PASSWORD)).status).toBe(200)
    const [row] = await market.db.owner`select password_hash from identity.credentials where user_id = ${user.userId}`
    expect(row?.password_hash).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$')
    expect((await signIn(user.email, TEST_PASSWORD)).status).toBe(200)
  })

  test('writes one audit entry, also for a refused sign-in of a known user', async () => {
    const user = await org.member([])
    await signIn(user.email, 'a wrong password')
    const found = await entries('auth.signIn', user.userId)
    expect(found.map(({ success, error }) => [success, error])).toEqual([
      [true, null],
      [false, 'invalid_credentials'],
    ])
    expect(found[0]).toMatchObject({ ip_address: '127.0.0.1', request: { grant_type: 'password' } })
    expect(found[0]?.user_agent).toStartWith('Bun/')
  })
})

describe('invalid payloads are 422 validation_error with details', () => {
  test.each([
    [{ grant_type: 'client_credentials' }, 'grant_type'],
    [{}, 'grant_type'],
    [{ grant_type: 'password', password: 'x' }, 'username'],
    [{ grant_type: 'password', username: 'x' }, 'password'],
    [{ grant_type: 'password', username: 'x', password: '' }, 'password'],
    [{ grant_type: 'refresh_token' }, 'refresh_token'],
    [{ grant_type: 'refresh_token', refresh_token: '' }, 'refresh_token'],
    [{ grant_type: 'password', username: 'x', password: 'y', scope: 'all' }, 'scope'],
    [{ grant_type: 'password', username: ['x'], password: 'y' }, 'username'],
    [[], 'body'],
    ['{', 'body'],
  ])('%j is a problem of %s', async (body, field) => {
    const answer = await token(body, { 'content-type': 'application/json' })
    expect(answer.status).toBe(422)
    expect(answer.body.error.code).toBe('validation_error')
    expect(answer.body.error.details?.[0]?.field).toBe(field)
  })

  test('an empty credential that the grant does not use is ignored', async () => {
    const answer = await token({ grant_type: 'refresh_token', refresh_token: 'unknown', username: '', password: '' })
    expect([answer.status, answer.body.error.code]).toEqual([401, 'invalid_credentials'])
  })

  test('no response contains the password', async () => {
    const answer = await token({ grant_type: 'nope', username: 'x', password: 'planted-secret-4711' })
    expect(answer.text).not.toContain('planted-secret-4711')
  })

  test('other media types are 415, other methods 405', async () => {
    const xml = await token('<token/>', { 'content-type': 'text/xml' })
    expect([xml.status, xml.body.error.code]).toEqual([415, 'unsupported_media_type'])
    const get = await market.anonymous.get('/v2.3/oauth/token')
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  })
})

describe('grant_type refresh_token', () => {
  const newTokens = async () => (await signIn(org.administrator.email, TEST_PASSWORD)).body

  test('returns a new pair with a valid access token', async () => {
    const first = await newTokens()
    const second = await refresh(first.refresh_token)
    expect(second.status).toBe(200)
    expect(second.body.refresh_token).not.toBe(first.refresh_token)
    expect((await new ApiClient(market.url, second.body.access_token).get('/v1/parts')).status).toBe(200)
  })

  test('64 concurrent refreshes return one successor', async () => {
    const { refresh_token } = await newTokens()
    const answers = await Promise.all(Array.from({ length: 64 }, () => refresh(refresh_token)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1)
  })

  test('a repeated refresh returns the same successor, which is valid', async () => {
    const { refresh_token } = await newTokens()
    const [lost, again] = [await refresh(refresh_token), await refresh(refresh_token)]
    expect(again.body.refresh_token).toBe(lost.body.refresh_token)
    expect((await refresh(again.body.refresh_token)).status).toBe(200)
  })

  test('reuse after more than 10 seconds is 401 and ends the session', async () => {
    const user = await org.member([])
    const first = (await signIn(user.email, TEST_PASSWORD)).body
    const second = (await refresh(first.refresh_token)).body
    await market.db.owner`
      update identity.refresh_tokens set used_at = used_at - interval '11 seconds' where used_at is not null`
    const reuse = await refresh(first.refresh_token)
    expect([reuse.status, reuse.body.error.code]).toEqual([401, 'invalid_credentials'])
    expect((await refresh(second.refresh_token)).status).toBe(401)
    expect((await entries('auth.refreshReuse', user.userId)).map(({ success }) => success)).toEqual([false])
    // A refresh writes no audit entry.
    expect(await entries('auth.signIn', user.userId)).toHaveLength(2)
  })

  test('an expired or unknown token and one of an inactive or reset user are 401 invalid_credentials', async () => {
    const expired = (await newTokens()).refresh_token
    await market.db.owner`update identity.refresh_tokens set expires_at = now() - interval '1 second'
      where hash = sha256(${expired}::text::bytea)`
    const user = await org.member([])
    const deactivated = (await signIn(user.email, TEST_PASSWORD)).body.refresh_token
    await market.db.owner`update organization.users set active = false where id = ${user.userId}`
    const other = await org.member([])
    const reset = (await signIn(other.email, TEST_PASSWORD)).body.refresh_token
    await market.db.owner`
      update organization.users set password_version = password_version + 1, session_version = session_version + 1
      where id = ${other.userId}`
    for (const refused of [expired, 'unknown', 'x'.repeat(15_000), deactivated, reset]) {
      const answer = await refresh(refused)
      expect([answer.status, answer.body.error?.code]).toEqual([401, 'invalid_credentials'])
    }
  })
})

test('refresh tokens are stored as hashes and private keys encrypted', async () => {
  const { refresh_token } = (await signIn(org.administrator.email, TEST_PASSWORD)).body
  const [found] = await market.db.owner`
    select count(*)::int as n from identity.refresh_tokens where encode(hash, 'escape') like ${`%${refresh_token}%`}`
  expect(found?.n).toBe(0)
  const keys = await market.db.owner<{ private_key: string }[]>`select private_key from identity.signing_keys`
  for (const { private_key } of keys) expect(private_key).not.toContain('PRIVATE KEY')
})
