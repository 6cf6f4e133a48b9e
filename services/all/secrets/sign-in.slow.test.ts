import { describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test'
import { newSecretToken } from '../../kit/db/ids.ts'
import { Fixtures } from '../../testing/fixtures.ts'
import { TEST_PASSWORD } from '../../testing/marketplace.ts'
import { openActivation, openGrant, openSession } from '../../testing/sessions.ts'
import { common, recordedMarketplace } from '../../testing/statement-log.ts'

/**
 * Whether an account exists must not show in how long a refusal takes. Time is noise, so what takes the time is counted:
 * statements on the wire, rows written, hashes computed.
 */
setDefaultTimeout(30_000)
const { market, taps } = await recordedMarketplace()
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

/** A row in the log of an organization and one about nobody are the same work. */
const ABOUT_A_FAILURE = /\s*insert into (organization\.audit_log|identity\.sign_in_failures)[\s\S]*/
const named = (statement: string) => statement.replace(ABOUT_A_FAILURE, 'one row about a failure')

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
    taps.take()
    const headers = { 'x-forwarded-for': fixtures.address(), 'x-request-id': 'same' }
    const answer = await market.anonymous.post(path, body, headers)
    const statements = taps.take().map(named)
    const after = await rows()
    return {
      status: answer.status,
      text: answer.text,
      headers: [...answer.headers].filter(([name]) => name !== 'date' && name !== 'ratelimit'),
      statements,
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

/** Expects two requests to be the same work, in what each of them does every time. */
async function expectSameWork(path: string, one: () => object, other: () => object): Promise<Work> {
  let [first, second] = [await workOf(path, one()), await workOf(path, other())]
  for (let tries = 1; tries < TRIES && !Bun.deepEquals(first, second); tries++) {
    first = least(first, await workOf(path, one()))
    second = least(second, await workOf(path, other()))
  }
  expect(second).toEqual(first)
  return first
}

/** Of what equal requests caused, what all of them caused is theirs; the rest a service did for itself. */
const least = (known: Work, seen: Work): Work => ({ ...seen, statements: common(known.statements, seen.statements) })

async function people() {
  const [active, inactive, reset] = await Promise.all([org.member([]), org.member([]), org.member([])])
  const invited = await org.invite()
  await owner`update organization.users set active = false where id = ${inactive.userId}`
  await owner`update organization.users set credentials_valid_from = now() where id = ${reset.userId}`
  return { active, inactive, reset, invited }
}
const { active, inactive, reset, invited } = await people()

const signIn = (username: string, password: string) => ({ grant_type: 'password', username, password })
const SIGN_INS: Record<string, object> = {
  'of a deactivated user': signIn(inactive.email, TEST_PASSWORD),
  'of a deactivated user with a wrong password': signIn(inactive.email, 'wrong'),
  'of a user whose password was reset': signIn(reset.email, TEST_PASSWORD),
  'of a user who has chosen none yet': signIn(invited.email, TEST_PASSWORD),
  'of nobody': signIn('nobody@example.com', TEST_PASSWORD),
  'of nobody, with a long name': signIn(`${'x'.repeat(300)}@example.com`, 'wrong'),
  'of what is no address': signIn("' or 1=1 --", 'wrong'),
}

describe('a refused sign-in', () => {
  const wrongPassword = () => signIn(active.email, 'wrong')

  test('computes one hash with the live parameters, counts under both keys and leaves one row', async () => {
    const wrong = await expectSameWork('/v2.3/oauth/token', wrongPassword, wrongPassword)
    expect(wrong).toMatchObject({ status: 401, failures: 1, throttles: 2, hashed: 0 })
    expect(wrong.verified).toEqual(['$argon2id$v=19$m=19456,t=2,p=1'])
    expect(wrong.statements).toHaveLength(4)
  })

  test.each(Object.entries(SIGN_INS))('%s is the same work and the same answer', async (_, body) => {
    await expectSameWork('/v2.3/oauth/token', wrongPassword, () => body)
  })

  test('takes about as long, whoever was meant', async () => {
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
    // A hash that is left out makes it a hundredth; other programs on the machine do not come near.
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
    await owner`
      update organization.users set credentials_valid_from = now() + interval '1 hour' where id = ${reset.userId}`
    const unknown = () => redeem(newSecretToken().token)
    for (const token of [used, expired, ofInactive, ofReset]) {
      const work = await expectSameWork('/flows/v1/activations', unknown, () => redeem(token))
      expect(work).toMatchObject({ status: 404, failures: 0, throttles: 2, hashed: 1 })
    }
  })
})

describe('a refused link of an impersonation grant', () => {
  test('is the same work for unknown, used, expired, revoked and void ones', async () => {
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
