import { describe, expect, test } from 'bun:test'
import { ApiClient } from '../../testing/client.ts'
import { marketplaceWithWorkers, type TestUser } from '../../testing/marketplace.ts'
import { BY_BUS, entriesOf, eventsOf } from '../../testing/people.ts'
import {
  basic,
  clientWith,
  createdAccount,
  createdKey,
  FORM,
  type OAuthAnswer,
} from '../../testing/service-accounts.ts'
import { openSession } from '../../testing/sessions.ts'
import { until } from '../../testing/until.ts'

const market = await marketplaceWithWorkers(['sourcing'])
const org = await market.organization(['IP_OWNER'])
const { client: admin } = org.administrator
const account = await createdAccount(admin)
const key = await createdKey(admin, account.id)

const revoke = (token: string, headers: Record<string, string> = {}, more: Record<string, string> = {}) =>
  market.anonymous.post<OAuthAnswer>('/flows/v1/oauth/revoke', { token, ...more }, { ...FORM, ...headers })
const isAccepted = async (token: string) => (await new ApiClient(market.url, token).get('/v1/parts')).status === 200
const isVoid = (token: string) => until(async () => !(await isAccepted(token)), BY_BUS)
const sessionOf = (user: TestUser) => openSession(market, user)
const tokenOf = async (of = key) => (await clientWith(market.url, of)).accessToken as string

describe('a token of a user', () => {
  test.each(['accessToken', 'refreshToken'] as const)(
    'ends its session by its %s alone: 200 without a body',
    async (kind) => {
      const member = await org.member([])
      const [session, other] = [await sessionOf(member), await sessionOf(member)]
      const answer = await revoke(session[kind], {}, { token_type_hint: 'wrong_hint', client_id: 'public' })
      expect([answer.status, answer.text, answer.headers.get('cache-control')]).toEqual([200, '', 'no-store'])
      await isVoid(session.accessToken)
      expect(await isAccepted(other.accessToken)).toBe(true)
      const refresh = { grant_type: 'refresh_token', refresh_token: session.refreshToken }
      expect((await market.anonymous.post('/v2.3/oauth/token', refresh)).status).toBe(401)
      const [entry] = (await entriesOf(market, org.orgId, 'auth.revoke')).slice(-1)
      expect(entry).toMatchObject({ success: true, actor_id: member.userId })
    },
  )

  test('is not revoked by a service account, whose token it is not', async () => {
    const member = await org.member([])
    const { accessToken, refreshToken } = await sessionOf(member)
    for (const token of [accessToken, refreshToken]) expect((await revoke(token, basic(key))).status).toBe(200)
    expect(await isAccepted(accessToken)).toBe(true)
  })
})

describe('a token of a service account', () => {
  test('ends alone, by the authentication of any key of the account', async () => {
    const second = await createdKey(admin, account.id)
    const [token, other] = [await tokenOf(), await tokenOf()]
    expect((await revoke(token, basic(second))).status).toBe(200)
    await isVoid(token)
    expect(await isAccepted(other)).toBe(true)
    expect(await isAccepted(await tokenOf())).toBe(true)
    const { jti } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const rows = await market.db.owner`select type from identity.outbox where subject = ${jti}`
    expect(rows.map(({ type }) => type)).toEqual(['identity.token.revoked'])
    const [entry] = (await entriesOf(market, org.orgId, 'auth.revoke')).slice(-1)
    expect(entry).toMatchObject({ success: true, actor_id: account.id })
    const before = (await entriesOf(market, org.orgId, 'auth.revoke')).length
    expect((await revoke(token, basic(second))).status).toBe(200)
    expect((await entriesOf(market, org.orgId, 'auth.revoke')).length).toBe(before)
  })

  test('without client authentication is 401, and stays valid', async () => {
    const token = await tokenOf()
    const { status, body } = await revoke(token)
    expect([status, body.error]).toEqual([401, 'invalid_client'])
    expect(await isAccepted(token)).toBe(true)
  })

  test('by another account, of the same or of another organization, is 200 without effect', async () => {
    const token = await tokenOf()
    const colleague = await createdKey(admin, (await createdAccount(admin)).id)
    const other = (await market.organization(['IP_OWNER'])).administrator.client
    const foreign = await createdKey(other, (await createdAccount(other)).id)
    for (const by of [colleague, foreign]) expect((await revoke(token, basic(by))).status).toBe(200)
    expect(await isAccepted(token)).toBe(true)
  })

  test('also ends by POST /v2.3/oauth/revoke, which it calls itself or names', async () => {
    const [calling, named] = [await clientWith(market.url, key), await clientWith(market.url, key)]
    expect((await calling.post('/v2.3/oauth/revoke', { token: named.accessToken })).status).toBe(200)
    await isVoid(named.accessToken as string)
    expect((await calling.post('/v2.3/oauth/revoke')).status).toBe(200)
    await isVoid(calling.accessToken as string)
    expect(await isAccepted(await tokenOf())).toBe(true)
  })
})

test('unknown, forged and foreign-looking tokens are 200 without effect', async () => {
  const token = await tokenOf()
  for (const text of ['unknown', 'a.b.c', `${token.slice(0, -6)}AAAAAA`, 'x'.repeat(8000)]) {
    expect([text, (await revoke(text)).status]).toEqual([text, 200])
    expect([text, (await revoke(text, basic(key))).status]).toEqual([text, 200])
  }
  expect(await isAccepted(token)).toBe(true)
  expect(await eventsOf(market, key.clientId)).toEqual([])
})

test('a revoked token is refused by a service that starts later', async () => {
  const token = await tokenOf()
  await revoke(token, basic(key))
  const [ended] = await market.db.owner`
    select count(*)::int as count from identity.ended_sessions
    where session_id = ${JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti}`
  expect(ended?.count).toBe(1)
})
