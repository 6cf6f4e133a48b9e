import { describe, expect, test } from 'bun:test'
import { ApiClient } from '../../testing/client.ts'
import { TEST_PASSWORD, testMarketplace } from '../../testing/marketplace.ts'
import { until } from '../../testing/until.ts'

const market = await testMarketplace()
const org = await market.organization(['IP_OWNER'])

async function session(email = org.administrator.email): Promise<ApiClient> {
  const client = new ApiClient(market.url)
  await client.signIn(email, TEST_PASSWORD)
  return client
}

/** Less than the five seconds after which services fall back to Postgres because the bus is silent. */
const BY_BUS = { withinMs: 3000 }

const isRevoked = async (client: ApiClient) => (await client.get('/v1/parts')).status === 401
const refresh = (client: ApiClient) =>
  market.anonymous.post('/v2.3/oauth/token', { grant_type: 'refresh_token', refresh_token: client.refreshToken })

describe('POST /v2.3/oauth/revoke', () => {
  test('revokes the access and the refresh token of the session, in every service within a second', async () => {
    const client = await session()
    await client.get('/v1/parts')
    const answer = await client.post<{ message: string }>('/v2.3/oauth/revoke')
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.body)).toEqual(['message'])
    await until(() => isRevoked(client), { ...BY_BUS, what: 'revocation in sourcing' })
    await until(async () => (await client.get('/flows/v1/sessions')).status === 401, BY_BUS)
    expect((await refresh(client)).status).toBe(401)
  })

  test('with an empty body and a JSON content type is 200', async () => {
    const client = await session()
    const answer = await client.send('POST', '/v2.3/oauth/revoke', { headers: { 'content-type': 'application/json' } })
    expect(answer.status).toBe(200)
  })

  test('without a token or with an invalid token is 401 unauthorized', async () => {
    for (const [client, challenge] of [
      [market.anonymous, 'Bearer'],
      [
        new ApiClient(market.url, 'nonsense'),
        'Bearer error="invalid_token", error_description="The access token is malformed."',
      ],
    ] as const) {
      const answer = await client.post<{ error: { code: string } }>('/v2.3/oauth/revoke')
      expect([answer.status, answer.body.error.code]).toEqual([401, 'unauthorized'])
      expect(answer.headers.get('www-authenticate')).toBe(challenge)
    }
  })

  test.each(['accessToken', 'refreshToken'] as const)(
    'with another %s of the same user ends only that session',
    async (kind) => {
      const [calling, other] = [await session(), await session()]
      expect((await calling.post('/v2.3/oauth/revoke', { token: other[kind] })).status).toBe(200)
      await until(() => isRevoked(other), BY_BUS)
      expect(await isRevoked(calling)).toBe(false)
    },
  )

  test('with a token of another user or an unknown token is 200 without effect', async () => {
    const member = await org.member([])
    const victim = await session(member.email)
    const caller = await session()
    for (const token of [victim.accessToken, victim.refreshToken, 'unknown', 'a.b.c']) {
      expect((await caller.post('/v2.3/oauth/revoke', { token })).status).toBe(200)
    }
    expect(await isRevoked(victim)).toBe(false)
    expect((await refresh(victim)).status).toBe(200)
  })
})

describe('sessions', () => {
  test('are listed newest first with the current one marked, and can be ended by id', async () => {
    const member = await org.member([])
    const [first, second] = [await session(member.email), await session(member.email)]
    const list = await second.get<{ items: { id: string; current: boolean }[]; hasMore: boolean }>('/flows/v1/sessions')
    expect(list.body.items.map(({ current }) => current)).toEqual([true, false, false])
    const other = list.body.items[1]?.id
    expect((await second.post(`/flows/v1/sessions/${other}/end`)).status).toBe(204)
    await until(() => isRevoked(first), BY_BUS)
    expect((await second.post(`/flows/v1/sessions/${other}/end`)).status).toBe(404)
  })

  test('of another user need user:manage, and are not accessible to another organization', async () => {
    const member = await org.member([])
    const foreign = await market.organization(['IP_OWNER'])
    const [{ id }] = (await member.client.get<{ items: [{ id: string }] }>('/flows/v1/sessions')).body.items
    const colleague = await org.member([])
    expect((await colleague.client.get(`/flows/v1/sessions?userId=${member.userId}`)).status).toBe(403)
    expect((await colleague.client.post(`/flows/v1/sessions/${id}/end`)).status).toBe(404)
    const outsider = foreign.administrator.client
    expect((await outsider.get(`/flows/v1/sessions?userId=${member.userId}`)).body.items).toEqual([])
    expect((await outsider.post(`/flows/v1/sessions/${id}/end`)).status).toBe(404)
    const administrator = await session()
    expect((await administrator.post(`/flows/v1/sessions/${id}/end`)).status).toBe(204)
    await until(() => isRevoked(member.client), BY_BUS)
  })
})

describe('passwords', () => {
  const change = (client: ApiClient, currentPassword: string, newPassword: string) =>
    client.post<{ errors: { field: string }[] }>('/flows/v1/password/change', { currentPassword, newPassword })

  test('a change ends the other sessions and keeps the current one', async () => {
    const member = await org.member([])
    const [calling, other] = [await session(member.email), await session(member.email)]
    expect((await change(calling, TEST_PASSWORD, 'a brand new password')).status).toBe(204)
    await until(() => isRevoked(other), BY_BUS)
    expect(await isRevoked(calling)).toBe(false)
    await calling.signIn(member.email, 'a brand new password')
  })

  test('a wrong current password and a new one of 11 or 257 characters are 400', async () => {
    const { client } = await org.member([])
    expect((await change(client, 'wrong', 'a brand new password')).body.errors[0]?.field).toBe('currentPassword')
    for (const bad of ['elevenchars', '𝒳'.repeat(257)]) {
      const answer = await change(client, TEST_PASSWORD, bad)
      expect([answer.status, answer.body.errors[0]?.field]).toEqual([400, 'newPassword'])
    }
    expect((await change(client, TEST_PASSWORD, '𝒳'.repeat(256))).status).toBe(204)
  })
})

describe('activation', () => {
  test('unknown and used links are the same 404', async () => {
    const body = { token: 'unknown', password: TEST_PASSWORD }
    const unknown = await market.anonymous.post('/flows/v1/activations', body, { 'x-request-id': 'same' })
    expect(unknown.status).toBe(404)
    const used = await usedActivation()
    const again = await market.anonymous.post(
      '/flows/v1/activations',
      { ...body, token: used },
      { 'x-request-id': 'same' },
    )
    expect(again.text).toBe(unknown.text)
  })
})

/** Redeems a link with a known token and returns the token. */
async function usedActivation(): Promise<string> {
  const member = await org.member([])
  const token = 'known-token'
  await market.db
    .owner`insert into organization.activations (token_hash, user_id, password_version, created_at, expires_at)
    values (sha256(${token}::text::bytea), ${member.userId}, 1, now(), now() + interval '1 hour')`
  await market.anonymous.activate(token, 'yet another password')
  await new ApiClient(market.url).signIn(member.email, 'yet another password')
  return token
}
