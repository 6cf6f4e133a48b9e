import { describe, expect, test } from 'bun:test'
import { decodeJwt } from 'jose'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { act } from '../../testing/people.ts'
import { ACCOUNTS, basic, clientWith, createdAccount, createdKey, FORM } from '../../testing/service-accounts.ts'
import { openSession } from '../../testing/sessions.ts'

let aheadMs = 0
const market = await marketplaceOf([], {}, undefined, { clock: () => Date.now() + aheadMs })
const org = await market.organization(['IP_OWNER'])
const { client: admin } = org.administrator
const gateway = await createdKey(admin, (await createdAccount(admin, { name: 'Gateway' })).id)

const introspect = (token: string, by = gateway) =>
  market.anonymous.post<Record<string, unknown>>('/flows/v1/oauth/introspect', { token }, { ...FORM, ...basic(by) })

describe('an active token', () => {
  test('of a user is described with its permissions, as its claims are', async () => {
    const member = await org.member(['part:create', 'case:read'])
    const { accessToken } = await openSession(market, member)
    const { status, body, headers } = await introspect(accessToken)
    const { exp, iat, jti } = decodeJwt(accessToken)
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(body).toEqual({
      active: true,
      client_id: 'marketplace',
      scope: 'case:read part:create',
      token_type: 'Bearer',
      exp,
      iat,
      jti,
      iss: market.config.PUBLIC_URL,
      aud: 'marketplace',
      sub: member.userId,
      org: org.orgId,
    })
  })

  test('of a service account names its key', async () => {
    const { accessToken = '' } = await clientWith(market.url, gateway)
    expect((await introspect(accessToken)).body).toMatchObject({ active: true, client_id: gateway.clientId, scope: '' })
  })

  test('of an impersonation names who acts', async () => {
    const grant = { actingEmail: 'support@example.com', grantId: 'grant_introspected' }
    const { accessToken } = await openSession(market, org.administrator, grant)
    expect((await introspect(accessToken)).body.act).toEqual({
      sub: 'support@example.com',
      grant: 'grant_introspected',
    })
  })
})

describe('a token is inactive, and nothing else is said', () => {
  const INACTIVE = '{"active":false}'

  test('if it is of another organization, forged, a refresh token or no token', async () => {
    const other = await market.organization(['IP_OWNER'])
    const foreign = await openSession(market, other.administrator)
    const own = await openSession(market, org.administrator)
    for (const token of [
      foreign.accessToken,
      foreign.refreshToken,
      own.refreshToken,
      `${own.accessToken.slice(0, -6)}AAAAAA`,
      'unknown',
      'a.b.c',
    ]) {
      const { status, text } = await introspect(token)
      expect([token, status, text]).toEqual([token, 200, INACTIVE])
    }
    const reader = await createdKey(other.administrator.client, (await createdAccount(other.administrator.client)).id)
    expect((await introspect(own.accessToken, reader)).text).toBe(INACTIVE)
    expect((await introspect(foreign.accessToken, reader)).body.active).toBe(true)
  })

  test('at once after its session, user or key has ended', async () => {
    const member = await org.member([])
    const [ended, deactivated] = [await openSession(market, member), await openSession(market, member)]
    await admin.post(`/flows/v1/sessions/${ended.id}/end`)
    expect((await introspect(ended.accessToken)).text).toBe(INACTIVE)
    expect((await introspect(deactivated.accessToken)).body.active).toBe(true)
    await act(admin, member.userId, 'deactivate')
    expect((await introspect(deactivated.accessToken)).text).toBe(INACTIVE)
    const { id } = await createdAccount(admin)
    const key = await createdKey(admin, id)
    const { accessToken = '' } = await clientWith(market.url, key)
    await admin.post(`${ACCOUNTS}/${id}/keys/${key.clientId}/revoke`)
    expect((await introspect(accessToken)).text).toBe(INACTIVE)
  })

  test('after it has expired', async () => {
    const { accessToken } = await openSession(market, org.administrator)
    aheadMs += 906_000
    const { text } = await introspect(accessToken)
    aheadMs = 0
    expect(text).toBe(INACTIVE)
  })
})

test('a revoked key introspects nothing', async () => {
  const { id } = await createdAccount(admin)
  const key = await createdKey(admin, id)
  await admin.post(`${ACCOUNTS}/${id}/keys/${key.clientId}/revoke`)
  const { status, body } = await introspect('x', key)
  expect([status, body.error]).toEqual([401, 'invalid_client'])
})
