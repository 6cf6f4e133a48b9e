import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { decodeJwt } from 'jose'
import { CreatedImpersonationGrant, ImpersonationGrant } from '../../../proto/http/identity/impersonation.ts'
import type { ApiClient } from '../../testing/client.ts'
import { GRANTS, type Grant, grantRequest, impersonationFixtures, tokenOf } from '../../testing/impersonation.ts'
import { TEST_PASSWORD } from '../../testing/marketplace.ts'
import { until } from '../../testing/until.ts'

const fixtures = await impersonationFixtures()
const { market, org, admin, soon, newAddress, create, redeem, refresh, acting, advance } = fixtures
const other = await market.organization(['IP_OWNER'])
const isGrant = TypeCompiler.Compile(ImpersonationGrant)
const isCreated = TypeCompiler.Compile(CreatedImpersonationGrant)

describe('creating a grant', () => {
  test('returns the grant with its link; a later get returns no link', async () => {
    const user = await org.member([])
    const { status, body, headers } = await create(user)
    expect(status).toBe(201)
    expect(isCreated.Check(body)).toBe(true)
    expect(body).toMatchObject({ ...grantRequest, userId: user.userId })
    expect(Date.parse(body.expireTime) - Date.parse(body.createdTime)).toBe(60 * 60 * 1000)
    expect(headers.get('cache-control')).toBe('no-store')
    const shown = await admin.client.get<Grant>(`${GRANTS}/${body.id}`)
    const { url, ...grant } = body
    expect(shown.body).toEqual(grant)
    expect(isGrant.Check(shown.body)).toBe(true)
  })

  test('with an expireTime in the past or more than 24 hours ahead is 400', async () => {
    const user = await org.member([])
    const end = soon(23 * 60 * 60 * 1000)
    expect((await create(user, { expireTime: end })).body.expireTime).toBe(end)
    for (const expireTime of [soon(-1), soon(25 * 60 * 60 * 1000), '2026-02-30T00:00:00Z']) {
      expect((await create(user, { expireTime })).status).toBe(400)
    }
  })

  test('without org:admin, or without a permission of the user, is 403', async () => {
    const [user, powerful] = [await org.member([]), await org.member(['webhook:manage'])]
    const manager = await org.member(['user:manage', 'role:manage'])
    expect((await create(user, {}, manager)).status).toBe(403)
    const plain = await org.member(['org:admin'])
    expect((await create(user, {}, plain)).status).toBe(201)
    expect((await create(powerful, {}, plain)).status).toBe(403)
    expect((await create(powerful)).status).toBe(201)
  })

  test('for an unknown or foreign user is 400, for an inactive one 409', async () => {
    const unknown = await create({ ...admin, userId: 'user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB' })
    const foreign = await create(other.administrator)
    expect([unknown.status, foreign.status]).toEqual([400, 400])
    const inactive = await org.member([])
    await market.db.owner`update organization.users set active = false where id = ${inactive.userId}`
    expect((await create(inactive)).status).toBe(409)
  })

  test.each([
    { actingEmail: 'no address' },
    { actingEmail: 'a@b@c' },
    { reason: '' },
    { reason: ' ' },
    { reason: 'x'.repeat(501) },
    { reason: undefined },
    { userId: '' },
  ])('%p is 400', async (more) => {
    expect((await create(admin, more)).status).toBe(400)
  })

  test('twice with one Idempotency-Key returns the same link, which is stored encrypted', async () => {
    const user = await org.member([])
    const key = { 'idempotency-key': crypto.randomUUID() }
    const [first, again] = [await create(user, {}, admin, key), await create(user, {}, admin, key)]
    expect(again.body).toEqual(first.body)
    const rows = await market.db.owner<{ line: string }[]>`select k::text as line from identity.idempotency_keys k`
    expect(rows.some(({ line }) => line.includes(tokenOf(first.body)))).toBe(false)
    expect((await redeem(tokenOf(again.body))).status).toBe(200)
  })
})

describe('reading grants', () => {
  test('returns newest first; without org:admin is 403, of another organization 404', async () => {
    const [user, member] = [await org.member([]), await org.member(['user:manage'])]
    const ids = [(await create(user)).body.id, (await create(user)).body.id]
    const list = await admin.client.get<{ items: Grant[] }>(`${GRANTS}?pageSize=2`)
    expect(list.body.items.map(({ id }) => id)).toEqual(ids.toReversed())
    expect((await member.client.get(GRANTS)).status).toBe(403)
    expect((await other.administrator.client.get<{ items: Grant[] }>(GRANTS)).body.items).toEqual([])
    for (const path of [`${GRANTS}/${ids[0]}`]) expect((await other.administrator.client.get(path)).status).toBe(404)
    expect((await other.administrator.client.post(`${GRANTS}/${ids[0]}/revoke`)).status).toBe(404)
  })
})

describe('a link', () => {
  test('opens one session as the user, whose token contains the acting person', async () => {
    const user = await org.member(['org:admin'])
    const { grant, tokens, client } = await acting(user)
    const claims = decodeJwt(tokens.access_token)
    expect(claims).toMatchObject({
      sub: user.userId,
      org: org.orgId,
      act: { sub: grantRequest.actingEmail, grant: grant.id },
    })
    expect((await client.get(`/v1/users/${user.userId}`)).body).toMatchObject({ id: user.userId, email: user.email })
    expect((await admin.client.get<Grant>(`${GRANTS}/${grant.id}`)).body.redeemedTime).toBeString()
  })

  test('that is unknown, used, expired or revoked is the same 404 without an audit entry', async () => {
    const user = await org.member([])
    const [used, expired, revoked] = [await create(user), await create(user), await create(user)]
    await redeem(tokenOf(used.body))
    await market.db.owner`update identity.impersonation_grants set expires_at = now() where id = ${expired.body.id}`
    await admin.client.post(`${GRANTS}/${revoked.body.id}/revoke`)
    const [before] = await market.db.owner`select count(*) from organization.audit_log`
    const unknown = await redeem('nothing', { 'x-request-id': 'same', ...newAddress() })
    expect(unknown.status).toBe(404)
    for (const { body } of [used, expired, revoked]) {
      const answer = await redeem(tokenOf(body), { 'x-request-id': 'same', ...newAddress() })
      expect([answer.status, answer.text]).toEqual([404, unknown.text])
    }
    expect(await market.db.owner`select count(*) from organization.audit_log`).toEqual([before] as never)
  })

  test('can be redeemed by only one of 16 concurrent requests', async () => {
    const { body } = await create(await org.member([]))
    const answers = await Promise.all(Array.from({ length: 16 }, () => redeem(tokenOf(body))))
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1)
  })

  test('is 404 after the user was deactivated or got more permissions than the grantor, or the grantor was deactivated', async () => {
    const grantor = await org.member(['org:admin'])
    const [inactive, promoted, orphan] = [await org.member([]), await org.member([]), await org.member([])]
    const links = [
      await create(inactive, {}, grantor),
      await create(promoted, {}, grantor),
      await create(orphan, {}, grantor),
    ]
    await market.db.owner`update organization.users set active = false where id = ${inactive.userId}`
    await org.grant('Administrator', promoted.userId)
    for (const { body } of links.slice(0, 2)) expect((await redeem(tokenOf(body))).status).toBe(404)
    await market.db.owner`update organization.users set active = false where id = ${grantor.userId}`
    for (const { body } of links.slice(2)) expect((await redeem(tokenOf(body))).status).toBe(404)
  })

  test('that is wrong is throttled after five failures from one IP address; a right one is redeemed there', async () => {
    const { body } = await create(await org.member([]))
    const here = { 'x-forwarded-for': '10.9.9.9' }
    for (let guess = 0; guess < 5; guess++) expect((await redeem(`guess ${guess}`, here)).status).toBe(404)
    const throttled = await redeem('guess 5', here)
    expect(throttled.status).toBe(429)
    expect(Number(throttled.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await redeem(tokenOf(body), here)).status).toBe(200)
  })
})

describe('an impersonated session', () => {
  test('keeps its act claim when refreshed', async () => {
    const { grant, tokens } = await acting(await org.member([]))
    const refreshed = await refresh(tokens.refresh_token)
    expect(refreshed.status).toBe(200)
    const act = { sub: grantRequest.actingEmail, grant: grant.id }
    expect(decodeJwt(refreshed.body.access_token).act).toEqual(act)
    // A repeated refresh, after a lost response.
    expect(decodeJwt((await refresh(tokens.refresh_token)).body.access_token).act).toEqual(act)
  })

  test('and its tokens expire with the grant', async () => {
    const { grant, tokens, client } = await acting(await org.member([]), { expireTime: soon(8 * 60 * 1000) })
    expect(tokens.expires_in).toBeLessThanOrEqual(8 * 60)
    const endsAt = Date.parse(grant.expireTime) / 1000
    for (const { access_token } of [tokens, (await refresh(tokens.refresh_token)).body]) {
      expect(decodeJwt(access_token).exp).toBeLessThanOrEqual(endsAt)
    }
    expect((await client.get('/v1/parts')).status).toBe(200)
    advance(8 * 60 * 1000)
    expect((await client.get('/v1/parts')).status).toBe(401)
    expect((await refresh(tokens.refresh_token)).status).toBe(401)
  })

  test('ends within a second of the revocation and cannot be refreshed', async () => {
    const { grant, tokens, client } = await acting(await org.member([]))
    expect((await client.get('/v1/parts')).status).toBe(200)
    const revoked = await admin.client.post<Grant>(`${GRANTS}/${grant.id}/revoke`)
    expect([revoked.status, typeof revoked.body.revokedTime]).toEqual([200, 'string'])
    await until(async () => (await client.get('/v1/parts')).status === 401, { withinMs: 1000, what: 'the revocation' })
    expect((await refresh(tokens.refresh_token)).status).toBe(401)
    expect((await admin.client.post(`${GRANTS}/${grant.id}/revoke`)).status).toBe(409)
  })

  test('ends when the user is deactivated', async () => {
    const user = await org.member([])
    const { tokens, client } = await acting(user)
    const deactivated = await admin.client.post(`/flows/v1/users/${user.userId}/deactivate`)
    expect(deactivated.status).toBe(200)
    await until(async () => (await client.get('/v1/parts')).status === 401, { what: 'the deactivation' })
    expect((await refresh(tokens.refresh_token)).status).toBe(401)
  })

  test('cannot be refreshed after the grantor was deactivated', async () => {
    const grantor = await org.member(['org:admin'])
    const grant = await create(await org.member([]), {}, grantor)
    const { body } = await redeem(tokenOf(grant.body))
    await market.db.owner`update organization.users set active = false where id = ${grantor.userId}`
    expect((await refresh(body.refresh_token)).status).toBe(401)
  })

  test('can revoke itself, but no other session of the user', async () => {
    const user = await org.member([])
    const { client } = await acting(user)
    expect(client.accessToken).toBeString()
    const { refreshToken = '', accessToken = '' } = user.client
    for (const token of [refreshToken, accessToken]) {
      expect((await client.post('/v2.3/oauth/revoke', { token })).status).toBe(200)
    }
    expect((await user.client.get('/v1/parts')).status).toBe(200)
    expect((await client.get('/v1/parts')).status).toBe(200)
    expect((await client.post('/v2.3/oauth/revoke')).status).toBe(200)
    await until(async () => (await client.get('/v1/parts')).status === 401, { what: 'the end of the session' })
    expect((await user.client.get('/v1/parts')).status).toBe(200)
  })

  test('is listed with its grant and the acting person', async () => {
    const member = await org.member([])
    const { grant, tokens, client } = await acting(member)
    interface Listed {
      current: boolean
      impersonation?: { grantId: string; actingEmail: string }
    }
    const list = async (by: ApiClient, query = '') =>
      (await by.get<{ items: Listed[] }>(`/flows/v1/sessions${query}`)).body.items.map(
        ({ current, impersonation }) => ({ current, impersonation }),
      )
    const impersonation = { grantId: grant.id, actingEmail: grantRequest.actingEmail }
    const own = { current: true, impersonation: undefined }
    expect(await list(member.client)).toEqual([{ current: false, impersonation }, own])
    expect(await list(admin.client, `?userId=${member.userId}`)).toEqual([
      { current: false, impersonation },
      { current: false, impersonation: undefined },
    ])
    expect(await list(client)).toContainEqual({ current: true, impersonation })
    expect((await refresh(tokens.refresh_token)).status).toBe(200)
    expect(await list(member.client)).toContainEqual({ current: false, impersonation })
    expect((await admin.client.post(`${GRANTS}/${grant.id}/revoke`)).status).toBe(200)
    expect(await list(member.client)).toEqual([own])
  })

  test('cannot change the password, end sessions or create grants: 403', async () => {
    const user = await org.member('Administrator')
    const { client, grant } = await acting(user)
    const passwords = { currentPassword: TEST_PASSWORD, newPassword: 'another long password' }
    for (const answer of [
      await client.post('/flows/v1/password/change', passwords),
      await client.post(GRANTS, { ...grantRequest, userId: user.userId }),
      await client.post(`${GRANTS}/${grant.id}/revoke`),
      await client.post('/flows/v1/sessions/sess_1/end'),
    ]) {
      expect(answer.status).toBe(403)
    }
  })
})

test('the page redeems the token of its fragment and loads no external resource', async () => {
  const page = await market.anonymous.get('/impersonate')
  expect([page.status, page.headers.get('referrer-policy')]).toEqual([200, 'no-referrer'])
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(page.text).not.toMatch(/https?:\/\//)
  const script = await market.anonymous.get('/docs/impersonate.js')
  expect(script.text).toContain('/flows/v1/impersonation-grants/redeem')
  expect(script.text).toContain('history.replaceState')
})
