import { describe, expect, test } from 'bun:test'
import { RACING, TEST_PASSWORD, testMarketplace } from '../../testing/marketplace.ts'
import { throttleKeys } from './keys.ts'

// With one trusted proxy, X-Forwarded-For sets the IP address of a request.
const market = await testMarketplace({ ...RACING, TRUSTED_PROXIES: '1', HASHING_SLOTS: '1' })
const org = await market.organization(['IP_OWNER'])

const attempt = (username: string, password: string, address: string) =>
  market.anonymous.post<{ error: { code: string } }>(
    '/v2.3/oauth/token',
    { grant_type: 'password', username, password },
    { 'x-forwarded-for': address },
  )

describe('throttling of sign-ins', () => {
  test.each(['known', 'unknown'])(
    'the sixth failure within a minute is 429 with Retry-After, for a %s account',
    async (kind) => {
      const { email } = kind === 'known' ? await org.member([]) : { email: 'unknown@example.com' }
      for (let n = 0; n < 5; n++) expect((await attempt(email, 'wrong', '203.0.113.1')).status).toBe(401)
      const answer = await attempt(email, TEST_PASSWORD, '203.0.113.1')
      expect([answer.status, answer.body.error.code]).toEqual([429, 'rate_limited'])
      expect(Number(answer.headers.get('retry-after'))).toBeWithin(1, 61)
    },
  )

  test('other spellings of an account share its count', async () => {
    const email = 'iris.linnik@example.com'
    for (let n = 0; n < 5; n++) await attempt(email.replace('i', n % 2 ? 'İ' : 'I'), 'wrong', '203.0.113.9')
    expect((await attempt(email, 'wrong', '203.0.113.9:4711')).status).toBe(429)
  })

  test('another IP address is not throttled', async () => {
    const { email } = await org.member([])
    for (let n = 0; n < 6; n++) await attempt(email, 'wrong', '203.0.113.2')
    expect((await attempt(email, TEST_PASSWORD, '203.0.113.3')).status).toBe(200)
  })

  test('a successful sign-in clears the count', async () => {
    const { email } = await org.member([])
    for (let n = 0; n < 4; n++) await attempt(email, 'wrong', '203.0.113.4')
    expect((await attempt(email, TEST_PASSWORD, '203.0.113.4')).status).toBe(200)
    for (let n = 0; n < 4; n++) expect((await attempt(email, 'wrong', '203.0.113.4')).status).toBe(401)
    expect((await attempt(email, TEST_PASSWORD, '203.0.113.4')).status).toBe(200)
  })

  test('each further failure doubles the wait up to 15 minutes; sign-in works afterwards', async () => {
    const { email } = await org.member([])
    const waits: number[] = []
    for (let n = 0; n < 11; n++) {
      await attempt(email, 'wrong', '203.0.113.5')
      const blocked = await attempt(email, 'wrong', '203.0.113.5')
      if (blocked.status !== 429) continue
      waits.push(Math.round(Number(blocked.headers.get('retry-after')) / 60))
      // Simulates the end of the wait.
      await market.db.owner`update identity.throttles set blocked_until = now() - interval '1 second'
        where blocked_until is not null`
    }
    expect(waits.slice(0, 5)).toEqual([1, 2, 4, 8, 15])
    expect(Math.max(...waits)).toBe(15)
    expect((await attempt(email, TEST_PASSWORD, '203.0.113.5')).status).toBe(200)
  })

  test('60 failures from one IP address throttle it for every account', async () => {
    const address = '203.0.113.6'
    expect((await attempt('unknown-0@example.com', 'wrong', address)).status).toBe(401)
    // Simulates 57 failures of other accounts.
    await market.db.owner`update identity.throttles set failures = failures + 57
      where key = ${Buffer.from(throttleKeys('', address).address)}`
    expect((await attempt('unknown-1@example.com', 'wrong', address)).status).toBe(401)
    expect((await attempt('unknown-2@example.com', 'wrong', address)).status).toBe(401)
    expect((await attempt(org.administrator.email, TEST_PASSWORD, address)).status).toBe(429)
  })

  test('of 64 concurrent wrong passwords at most five, and one for each hashing slot, are verified', async () => {
    const { email } = await org.member([])
    const answers = await Promise.all(Array.from({ length: 64 }, () => attempt(email, 'wrong', '203.0.113.7')))
    const verified = answers.filter(({ status }) => status === 401).length
    expect(verified).toBeWithin(5, 5 + navigator.hardwareConcurrency + 1)
  })

  test('a throttled sign-in is refused before it would wait for its turn', async () => {
    const { email } = await org.member([])
    for (let n = 0; n < 5; n++) await attempt(email, 'wrong', '203.0.113.10')
    let served = 0
    const others = Array.from({ length: 12 }, async (_, n) => {
      await attempt('unknown@example.com', 'wrong', `198.51.100.${n + 1}`)
      served++
    })
    expect((await attempt(email, TEST_PASSWORD, '203.0.113.10')).status).toBe(429)
    expect(served).toBeLessThan(12)
    await Promise.all(others)
  })

  test('a refused sign-in of an unknown user inserts a sign-in failure and no audit entry', async () => {
    const before = await counts()
    await attempt('unknown@example.com', 'wrong', '203.0.113.8')
    const after = await counts()
    expect(after.failures - before.failures).toBe(1)
    expect(after.entries - before.entries).toBe(0)
  })
})

async function counts() {
  const [row] = await market.db.owner<[{ failures: number; entries: number }]>`
    select (select count(*)::int from identity.sign_in_failures) as failures,
      (select count(*)::int from organization.audit_log) as entries`
  return row
}
