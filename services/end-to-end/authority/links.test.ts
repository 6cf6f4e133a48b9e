import { describe, expect, test } from 'bun:test'
import type { CreatedImpersonationGrant } from '../../../proto/http/identity/impersonation.ts'
import { ApiClient } from '../../testing/client.ts'
import { marketplaceWithWorkers, TEST_PASSWORD, type TestUser } from '../../testing/marketplace.ts'
import { act, created, tokenOf } from '../../testing/people.ts'
import { until } from '../../testing/until.ts'

/** A link and a grant are void once their creator is deactivated or reset. */
const market = await marketplaceWithWorkers(['sourcing'], { TRUSTED_PROXIES: '1' })
const org = await market.organization(['IP_OWNER'])
const admin = org.administrator.client
const GRANTS = '/flows/v1/impersonation-grants'

/** Each loss with the status of its response. */
const LOSSES = [
  ['deactivate', 200],
  ['reset-password', 200],
  ['reset-passkeys', 204],
] as const

let addresses = 0
/** Each from an address of its own, because the wrong tokens of an address are throttled. */
const activate = async (token: string) => {
  const sender = { 'x-forwarded-for': `203.0.113.${++addresses}` }
  return (await market.anonymous.post('/flows/v1/activations', { token, password: TEST_PASSWORD }, sender)).status
}
const redeem = (token: string) =>
  market.anonymous.post<{ access_token: string; refresh_token: string }>(`${GRANTS}/redeem`, { token })
const refresh = async (refresh_token: string) =>
  (await market.anonymous.post('/v2.3/oauth/token', { grant_type: 'refresh_token', refresh_token })).status

async function grantBy(creator: TestUser): Promise<string> {
  const { userId } = await org.member([])
  const body = { userId, actingEmail: 'support@example.com', reason: 'Ticket 4711' }
  const grant = await creator.client.post<typeof CreatedImpersonationGrant.static>(GRANTS, body)
  return new URL(grant.body.url).hash.slice(1)
}

describe.each(LOSSES)('after %s of the creator', (verb, status) => {
  test('an invitation link, a reset link and the link of a grant are 404', async () => {
    const creator = await org.member('Administrator')
    const invitation = tokenOf(await created(creator.client))
    const member = await org.member([])
    const reset = await creator.client.post<{ activationUrl: string }>(
      `/flows/v1/users/${member.userId}/reset-password`,
    )
    const grant = await grantBy(creator)
    expect((await act(admin, creator.userId, verb)).status).toBe(status)
    expect([await activate(invitation), await activate(tokenOf(reset.body)), (await redeem(grant)).status]).toEqual([
      404, 404, 404,
    ])
  })

  test('an open impersonation session ends, and its refresh token is void at once, also the one used last', async () => {
    const creator = await org.member('Administrator')
    const { body } = await redeem(await grantBy(creator))
    const client = new ApiClient(market.url, body.access_token)
    expect([(await client.get('/v1/parts')).status, await refresh(body.refresh_token)]).toEqual([200, 200])
    // A repeated refresh within ten seconds returns the same successor.
    expect(await refresh(body.refresh_token)).toBe(200)
    expect((await act(admin, creator.userId, verb)).status).toBe(status)
    expect(await refresh(body.refresh_token)).toBe(401)
    // A consumer ends the session; open transactions of other tests on this server delay its events.
    await until(async () => (await client.get('/v1/parts')).status === 401)
  })
})

test('links of a creator who changed the password, and of one who is active again, are valid', async () => {
  const creator = await org.member('Administrator')
  const [first, second] = [tokenOf(await created(creator.client)), tokenOf(await created(creator.client))]
  const change = { currentPassword: TEST_PASSWORD, newPassword: 'another password of the creator' }
  expect((await creator.client.post('/flows/v1/password/change', change)).status).toBe(204)
  expect(await activate(first)).toBe(204)
  await act(admin, creator.userId, 'deactivate')
  await act(admin, creator.userId, 'activate')
  expect(await activate(second)).toBe(204)
})
