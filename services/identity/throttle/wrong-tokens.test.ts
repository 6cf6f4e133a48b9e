import { describe, expect, test } from 'bun:test'
import { newId } from '../../kit/db/ids.ts'
import { newSecretToken } from '../../kit/secrets/tokens.ts'
import { ApiClient } from '../../testing/client.ts'
import { marketplaceOf, TEST_PASSWORD } from '../../testing/marketplace.ts'
import { openActivation, openGrant } from '../../testing/sessions.ts'

const BURST = 20
const market = await marketplaceOf(['sourcing'], {
  TRUSTED_PROXIES: '1',
  RATE_LIMIT_PER_SECOND: '1',
  RATE_LIMIT_BURST: String(BURST),
})
const org = await market.organization(['IP_OWNER'])
const member = await org.member([])

const LINKS = {
  activation: {
    path: '/flows/v1/activations',
    open: () => openActivation(market, member.userId),
    body: (token: string) => ({ token, password: TEST_PASSWORD }),
    success: 204,
  },
  'impersonation grant': {
    path: '/flows/v1/impersonation-grants/redeem',
    open: () => openGrant(market, member, { grantId: newId('grant'), actingEmail: 'support@example.com' }),
    body: (token: string) => ({ token }),
    success: 200,
  },
}

describe.each(Object.entries(LINKS))('the token of an %s', (name, { path, open, body, success }) => {
  test('that is wrong is 404 and after five failures 429; a right one from the same address is redeemed', async () => {
    const address = { 'x-forwarded-for': name === 'activation' ? '203.0.113.1' : '203.0.113.2' }
    const redeem = async (token: string) => (await market.anonymous.post(path, body(token), address)).status
    const statuses: number[] = []
    for (let n = 0; n < 6; n++) statuses.push(await redeem(newSecretToken().token))
    expect(statuses).toEqual([404, 404, 404, 404, 404, 429])
    expect(await redeem(await open())).toBe(success)
  })
})

describe('forged access tokens', () => {
  const statusOf = async (token: string | undefined, address: string) => {
    const client = new ApiClient(market.url, token)
    return client.get('/v1/parts', { headers: { 'x-forwarded-for': address } })
  }

  test('of one address are 401, then 429 with Retry-After; valid ones of the address and other addresses are served', async () => {
    const forged = `${org.administrator.client.accessToken?.slice(0, -4)}AAAA`
    const answers = []
    for (let n = 0; n < BURST + 10; n++) answers.push(await statusOf(forged, '203.0.113.3'))
    expect(answers.slice(0, BURST).map(({ status }) => status)).toEqual(Array(BURST).fill(401))
    const limited = answers.filter(({ status }) => status === 429)
    expect(limited.length).toBeGreaterThan(5)
    expect(limited[0]?.headers.get('retry-after')).toBe('1')
    expect((await statusOf(org.administrator.client.accessToken, '203.0.113.3')).status).toBe(200)
    expect((await statusOf(forged, '203.0.113.4')).status).toBe(401)
  })

  test('and requests without a token share the bucket of their address', async () => {
    for (let n = 0; n < BURST; n++) await statusOf(undefined, '203.0.113.5')
    expect((await statusOf('forged', '203.0.113.5')).status).toBe(429)
  })
})
