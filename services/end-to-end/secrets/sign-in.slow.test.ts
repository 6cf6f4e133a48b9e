import { describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test'
import { newSecretToken } from '../../kit/secrets/tokens.ts'
import { Fixtures } from '../../testing/fixtures.ts'
import { TEST_PASSWORD } from '../../testing/marketplace.ts'
import { openActivation, openGrant, openSession } from '../../testing/sessions.ts'
import { common, recordedMarketplace } from '../../testing/statement-log.ts'

/**
 * The duration of a refusal must not reveal whether an account exists. Because durations vary, the tests compare the
 * work: statements, written rows and computed hashes.
 */
setDefaultTimeout(30_000)
const { market, statements } = await recordedMarketplace()
const fixtures = new Fixtures(market)
const org = await market.organization(['IP_OWNER'])
const { owner } = market.db
const TRIES = 8

const rows = async () => {
  const [row] = await owner<[{ failures: number; throttles: number }]>`
    select
      (select count(*) from organization.audit_log)::int + (select count(*) from identity.sign_in_failures)::int
        as failures,
      (select count(*) from identity.throttles)::int as throttles`
  return row
}

/** An insert into the audit log and one into sign_in_failures are the same work. */
const FAILURE_INSERT = /\s*insert into (organization\.audit_log|identity\.sign_in_failures)[\s\S]*/
const withoutTable = (statement: string) => statement.replace(FAILURE_INSERT, 'insert a failure')

interface Work {
  status: number
  text: string
  headers: string[][]
  statements: string[]
  failures: number
  throttles: number
  verified: string[]
  hashed: number
}

async function workOf(path: string, body: object): Promise<Work> {
  const [verify, hash] = [spyOn(Bun.password, 'verify'), spyOn(Bun.password, 'hash')]
  try {
    const before = await rows()
    statements.take()
    const headers = { 'x-forwarded-for': fixtures.address(), 'x-request-id': 'same' }
    const answer = await market.anonymous.post(path, body, headers)
    // Sign-in belongs to identity and organization. Workers of other services run every second, so on a slow machine
    // during every request.
    const executed = statements
      .take()
      .filter((statement) => /^(identity|organization): /.test(statement))
      .map(withoutTable)
    const after = await rows()
    return {
      status: answer.status,
      text: answer.text,
      headers: [...answer.headers].filter(([name]) => name !== 'date' && name !== 'ratelimit'),
      statements: executed,
      failures: after.failures - before.failures,
      throttles: after.throttles - before.throttles,
      // The parameters alone: salt and hash differ by nature.
      verified: verify.mock.calls.map(([, stored]) => String(stored).split('$').slice(0, 4).join('$')),
      hashed: hash.mock.calls.length,
    }
  } finally {
    verify.mockRestore()
    hash.mockRestore()
  }
}

/** Expects the same work of two requests, ignoring statements that do not occur every time. */
async function expectSameWork(path: string, one: () => object, other: () => object): Promise<Work> {
  let [first, second] = [await workOf(path, one()), await workOf(path, other())]
  for (let tries = 1; tries < TRIES && !Bun.deepEquals(first, second); tries++) {
    first = shared(first, await workOf(path, one()))
    second = shared(second, await workOf(path, other()))
  }
  expect(second).toEqual(first)
  return first
}

/** Keeps the statements that both requests executed; the others belong to workers. */
const shared = (known: Work, seen: Work): Work => ({ ...seen, statements: common(known.statements, seen.statements) })

const voidCredentials = (userId: string) => owner`
  update organization.users set password_version = password_version + 1, session_version = session_version + 1
  where id = ${userId}`

async function createUsers() {
  const [active, inactive, reset] = await Promise.all([org.member([]), org.member([]), org.member([])])
  const invited = await org.invite()
  await owner`update organization.users set active = false where id = ${inactive.userId}`
  await voidCredentials(reset.userId)
  return { active, inactive, reset, invited }
}
const { active, inactive, reset, invited } = await createUsers()

const strictOrg = await market.organization(['IP_OWNER'])
const strict = await strictOrg.member([])
await owner`update organization.organizations set second_factor = true where id = ${strictOrg.orgId}`

const signIn = (username: string, password: string) => ({ grant_type: 'password', username, password })
const SIGN_INS: Record<string, ReturnType<typeof signIn>> = {
  'of a deactivated user': signIn(inactive.email, TEST_PASSWORD),
  'of a deactivated user with a wrong password': signIn(inactive.email, 'wrong'),
  'of a user whose password was reset': signIn(reset.email, TEST_PASSWORD),
  'of a user without a password': signIn(invited.email, TEST_PASSWORD),
  'of a user who needs a second factor': signIn(strict.email, TEST_PASSWORD),
  'of an unknown user': signIn('unknown@example.com', TEST_PASSWORD),
  'of an unknown user with a long name': signIn(`${'x'.repeat(300)}@example.com`, 'wrong'),
  'of an invalid e-mail address': signIn("' or 1=1 --", 'wrong'),
}

describe('a refused sign-in', () => {
  const wrongPassword = () => signIn(active.email, 'wrong')

  test('verifies one hash with the current parameters, counts under both keys and writes one row', async () => {
    const wrong = await expectSameWork('/v2.3/oauth/token', wrongPassword, wrongPassword)
    expect(wrong).toMatchObject({ status: 401, failures: 1, throttles: 2, hashed: 0 })
    expect(wrong.verified).toEqual(['$argon2id$v=19$m=19456,t=2,p=1'])
    // The throttle is asked before the wait for the hash and after it.
    expect(wrong.statements).toHaveLength(5)
  })

  test.each(Object.entries(SIGN_INS))('%s is the same work and the same response', async (_, body) => {
    await expectSameWork('/v2.3/oauth/token', wrongPassword, () => body)
  })

  const inConsole = ({ username, password }: ReturnType<typeof signIn>) => ({ username, password })

  test.each(Object.entries(SIGN_INS))('%s is the same work and the same response in the console', async (_, body) => {
    const wrong = body.username === strict.email ? 'wrong' : body.password
    const other = () => inConsole({ ...body, password: wrong })
    await expectSameWork('/flows/v1/sign-in/password', () => inConsole(wrongPassword()), other)
  })

  test('takes about as long for every kind of account', async () => {
    const bodies = [signIn(active.email, 'wrong'), ...Object.values(SIGN_INS).slice(0, 5)]
    const times = bodies.map((): number[] => [])
    for (let round = 0; round < 7; round++) {
      for (const [index, body] of bodies.entries()) {
        const began = performance.now()
        await market.anonymous.post('/v2.3/oauth/token', body, { 'x-forwarded-for': fixtures.address() })
        times[index]?.push(performance.now() - began)
      }
    }
    const medians = times.map((each) => each.sort((a, b) => a - b)[3] ?? 0)
    // Without a hash the duration is about a hundredth; noise on the machine is far smaller.
    expect(Math.max(...medians) / Math.min(...medians)).toBeLessThan(4)
  })
})

describe('a refused refresh', () => {
  test('is the same work for unknown, ended, expired and foreign tokens', async () => {
    const refresh = (refresh_token: string) => ({ grant_type: 'refresh_token', refresh_token })
    const [ended, expired, ofInactive] = await Promise.all([
      openSession(market, active),
      openSession(market, active),
      openSession(market, inactive),
    ])
    await owner`update identity.sessions set ended_at = now() where id = ${ended.id}`
    await owner`update identity.sessions set expires_at = now() where id = ${expired.id}`
    const unknown = () => refresh(newSecretToken().token)
    for (const { refreshToken } of [ended, expired, ofInactive]) {
      const work = await expectSameWork('/v2.3/oauth/token', unknown, () => refresh(refreshToken))
      expect(work).toMatchObject({ status: 401, failures: 0, throttles: 0 })
    }
  })
})

describe('a refused activation', () => {
  test('is the same work for unknown, used, expired and void links', async () => {
    const redeem = (token: string) => ({ token, password: TEST_PASSWORD })
    const tokens = await Promise.all(
      [active, active, inactive, reset].map((user) => openActivation(market, user.userId)),
    )
    const [used = '', expired = '', ofInactive = '', ofReset = ''] = tokens
    await market.anonymous.activate(used, TEST_PASSWORD)
    await owner`
      update organization.activations set expires_at = now() - interval '1 second'
      where token_hash = sha256(${expired}::text::bytea)`
    await voidCredentials(reset.userId)
    const unknown = () => redeem(newSecretToken().token)
    for (const token of [used, expired, ofInactive, ofReset]) {
      const work = await expectSameWork('/flows/v1/activations', unknown, () => redeem(token))
      expect(work).toMatchObject({ status: 404, failures: 0, throttles: 2, hashed: 0 })
    }
  })
})

describe('a refused link of an impersonation grant', () => {
  test('is the same work for unknown, used, expired, revoked and void links', async () => {
    const redeem = (token: string) => ({ token })
    const path = '/flows/v1/impersonation-grants/redeem'
    const ids = ['used', 'expired', 'revoked', 'void'].map((name) => `grant_${name}`)
    const [ofInactive] = ids.slice(-1)
    const tokens = await Promise.all(
      ids.map((grantId) =>
        openGrant(market, grantId === ofInactive ? inactive : active, { grantId, actingEmail: 'a@example.com' }),
      ),
    )
    const [, expired = '', revoked = ''] = ids
    expect((await market.anonymous.post(path, redeem(tokens[0] ?? ''))).status).toBe(200)
    await owner`update identity.impersonation_grants set expires_at = now() where id = ${expired}`
    await owner`update identity.impersonation_grants set revoked_at = now() where id = ${revoked}`
    const unknown = () => redeem(newSecretToken().token)
    for (const token of tokens) {
      const work = await expectSameWork(path, unknown, () => redeem(token))
      expect(work).toMatchObject({ status: 404, failures: 0, throttles: 2, hashed: 0 })
    }
  })
})
