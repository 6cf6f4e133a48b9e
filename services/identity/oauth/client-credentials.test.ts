import { describe, expect, test } from 'bun:test'
import { decodeJwt } from 'jose'
import { ApiClient } from '../../testing/client.ts'
import { marketplaceWithWorkers, TEST_PASSWORD } from '../../testing/marketplace.ts'
import { act, BY_BUS, entriesOf } from '../../testing/people.ts'
import {
  ACCOUNTS,
  basic,
  clientWith,
  createdAccount,
  createdKey,
  FORM,
  type OAuthAnswer,
  requestToken,
} from '../../testing/service-accounts.ts'
import { until } from '../../testing/until.ts'

let aheadMs = 0
const clock = () => Date.now() + aheadMs
const market = await marketplaceWithWorkers(['sourcing'], { TRUSTED_PROXIES: '1' }, undefined, { clock })
const org = await market.organization(['IP_OWNER'])
const { client: admin } = org.administrator
const roles = await admin.get<{ items: { id: string; name: string }[] }>('/v1/roles?pageSize=50')
const ipOwner = roles.body.items.find(({ name }) => name === 'IP owner')?.id as string
const account = await createdAccount(admin, { roleIds: [ipOwner] })
const key = await createdKey(admin, account.id)

let addresses = 0
/** A new address for each request, because failures are throttled by address. */
const elsewhere = () => ({ 'x-forwarded-for': `198.51.100.${(addresses++ % 250) + 1}` })
const ask = (body: Record<string, string>, headers: Record<string, string> = {}) =>
  market.anonymous.post<OAuthAnswer>('/flows/v1/oauth/token', body, { ...FORM, ...elsewhere(), ...headers })
const inBody = { client_id: key.clientId, client_secret: key.clientSecret }
const GRANT = { grant_type: 'client_credentials' }

describe('the grant client_credentials', () => {
  test.each([
    ['Basic', GRANT, basic(key)],
    ['Basic in lower case', GRANT, { authorization: basic(key).authorization.replace('Basic', 'basic') }],
    ['the form', { ...GRANT, ...inBody }, {}],
    ['Basic, with the same client id in the form', { ...GRANT, client_id: key.clientId }, basic(key)],
  ])('with the key by %s answers a token alone', async (_, body, headers) => {
    const answer = await ask(body, headers)
    expect([answer.status, answer.body]).toEqual([
      200,
      { access_token: expect.any(String), token_type: 'Bearer', expires_in: 900 },
    ])
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect([answer.headers.get('cache-control'), answer.headers.get('pragma')]).toEqual(['no-store', 'no-cache'])
    const client = new ApiClient(market.url, answer.body.access_token)
    expect((await client.post('/v1/parts', { title: 'Impeller' })).status).toBe(200)
    expect((await client.get(ACCOUNTS)).status).toBe(403)
  })

  test('answers a token of the account, whose session and client is the key', async () => {
    const { body } = await ask(GRANT, basic(key))
    const { sub, org: orgId, sid, client_id, iat = 0, exp = 0, aud, jti, act: acting } = decodeJwt(body.access_token)
    expect({ sub, orgId, sid, client_id, aud, acting }).toEqual({
      sub: account.id,
      orgId: org.orgId,
      sid: key.clientId,
      client_id: key.clientId,
      aud: 'marketplace',
      acting: undefined,
    })
    expect([exp - iat, typeof jti]).toEqual([900, 'string'])
  })

  test('with form-encoded characters in Basic, as RFC 6749 asks', async () => {
    const encoded = (text: string) => text.replaceAll('_', '%5F')
    const pair = `${encoded(key.clientId)}:${encoded(key.clientSecret)}`
    const authorization = `Basic ${Buffer.from(pair).toString('base64')}`
    expect((await ask(GRANT, { authorization })).status).toBe(200)
  })

  test('tells the permissions in effect where a scope is requested', async () => {
    const { body } = await ask({ ...GRANT, scope: 'platform:operate' }, basic(key))
    expect(body.scope).toBe('app:ip-owner case:read file:write part:create part:delete part:publish part:update')
  })

  test('ignores parameters that it does not know, and counts empty ones as not sent', async () => {
    const body = { ...GRANT, client_secret: '', audience: 'https://elsewhere.example.com', resource: 'x' }
    expect((await ask(body, basic(key))).status).toBe(200)
  })

  test('leaves an audit entry of the account with the key', async () => {
    await ask(GRANT, basic(key))
    const [entry] = (await entriesOf(market, org.orgId, 'auth.signIn')).slice(-1)
    expect(entry).toEqual({
      success: true,
      error: null,
      actor_id: account.id,
      request: { grant_type: 'client_credentials', clientId: key.clientId },
    })
  })
})

describe('a key obtains no token', () => {
  const refused = async (answer: Promise<{ status: number; body: OAuthAnswer; headers: Headers }>) => {
    const { status, body, headers } = await answer
    expect([status, body.error]).toEqual([401, 'invalid_client'])
    const description = body.error_description ?? ''
    expect(headers.get('www-authenticate')).toBe(
      `Basic realm="marketplace", charset="UTF-8", error="invalid_client", error_description="${description}"`,
    )
    return description
  }
  const from = (address: string) => ({ 'x-forwarded-for': address })
  const WRONG = 'The client id or the secret is wrong.'

  test('with a wrong secret, an unknown id, and an id of another organization: the same answer', async () => {
    const other = await market.organization(['IP_OWNER'])
    const foreign = await createdAccount(other.administrator.client)
    const { clientId } = await createdKey(other.administrator.client, foreign.id)
    const ids = [key.clientId, 'sak_01JZ8Q4D3R1G5M7VJ0T6W2X9YB', clientId, account.id, org.administrator.email, '']
    for (const id of ids) {
      const pair = { clientId: id, clientSecret: `${key.clientSecret.slice(0, -1)}?` }
      expect([id, await refused(ask(GRANT, basic(pair)))]).toEqual([id, WRONG])
    }
    const swapped = { clientId: key.clientSecret, clientSecret: key.clientId }
    expect(await refused(ask(GRANT, basic(swapped)))).toBe(WRONG)
  })

  test('that is the one of another account', async () => {
    const second = await createdKey(admin, (await createdAccount(admin)).id)
    expect(await refused(ask(GRANT, basic({ clientId: key.clientId, clientSecret: second.clientSecret })))).toBe(WRONG)
  })

  test('that was revoked or has expired', async () => {
    const { id } = await createdAccount(admin)
    const revoked = await createdKey(admin, id)
    await admin.post(`${ACCOUNTS}/${id}/keys/${revoked.clientId}/revoke`)
    expect(await refused(ask(GRANT, basic(revoked)))).toBe('The key was revoked.')
    const expiring = await createdKey(admin, id, { expireTime: new Date(clock() + 60_000).toISOString() })
    expect((await ask(GRANT, basic(expiring))).status).toBe(200)
    aheadMs += 60_000
    expect(await refused(ask(GRANT, basic(expiring)))).toBe('The key has expired.')
  })

  test('from an address outside of its networks, in whichever spelling', async () => {
    const { id } = await createdAccount(admin)
    const networks = ['203.0.113.0/24', '2001:db8:1::/48']
    const limited = await createdKey(admin, id, { networks })
    for (const inside of [
      '203.0.113.9',
      '::ffff:203.0.113.9',
      '::ffff:cb00:7109',
      '2001:db8:1::9',
      '203.0.113.9:4711',
    ]) {
      expect([inside, (await ask(GRANT, { ...basic(limited), ...from(inside) })).status]).toEqual([inside, 200])
    }
    for (const outside of [
      '203.0.114.9',
      '::ffff:203.0.114.9',
      '2001:db8:2::9',
      '203.0.113.9, 192.0.2.1',
      '203.0.113.0/24',
      '2001:db8:1::9%eth0',
    ]) {
      const why = await refused(ask(GRANT, { ...basic(limited), ...from(outside) }))
      expect([outside, why]).toEqual([outside, 'The key may not be used from this address.'])
    }
    const entries = await entriesOf(market, org.orgId, 'auth.signIn')
    expect(entries.at(-1)).toMatchObject({ success: false, error: 'invalid_client', actor_id: id })
  })

  test('and its tokens end with it', async () => {
    const { id } = await createdAccount(admin)
    const expireTime = new Date(clock() + 100_500).toISOString()
    const { body } = await requestToken(market.url, await createdKey(admin, id, { expireTime }))
    expect(body.expires_in).toBe(100)
  })

  test('with a secret of another case or with spaces', async () => {
    for (const secret of [key.clientSecret.toLowerCase(), ` ${key.clientSecret}`, `${key.clientSecret}\n`]) {
      await refused(ask({ ...GRANT, client_id: key.clientId, client_secret: secret }))
    }
  })
})

test('a withdrawn role and a deactivation reach a token of a service account within a second', async () => {
  const { id } = await createdAccount(admin, { roleIds: [ipOwner] })
  const client = await clientWith(market.url, await createdKey(admin, id))
  const partStatus = async () => (await client.post('/v1/parts', { title: 'Impeller' })).status
  expect(await partStatus()).toBe(200)
  await admin.post(`/flows/v1/roles/${ipOwner}/withdraw`, { userId: id })
  await until(async () => (await partStatus()) === 403, BY_BUS)
  await act(admin, id, 'deactivate')
  await until(async () => (await partStatus()) === 401, BY_BUS)
  await act(admin, id, 'activate')
  expect(await partStatus()).toBe(401)
})

describe('the grants of users', () => {
  const person = { grant_type: 'password', username: org.administrator.email, password: TEST_PASSWORD }

  test('password and refresh_token answer a token and its successor', async () => {
    const signedIn = await ask({ ...person, client_id: 'any-public-client' })
    expect([signedIn.status, signedIn.body]).toEqual([
      200,
      {
        access_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 900,
        refresh_token: expect.stringMatching(/^[\w-]{43}$/),
      },
    ])
    const { refresh_token = '' } = signedIn.body
    const refreshed = await ask({ grant_type: 'refresh_token', refresh_token })
    expect([refreshed.status, refreshed.body.refresh_token === refresh_token]).toEqual([200, false])
  })

  test('tell the permissions in effect where a scope is requested', async () => {
    const viewer = await org.member(['part:create', 'case:read'])
    const { body } = await ask({ ...person, username: viewer.email, scope: 'any' })
    expect(body.scope).toBe('case:read part:create')
  })

  test('with a wrong password and a wrong refresh token are invalid_grant', async () => {
    for (const wrong of [
      { ...person, password: 'wrong' },
      { grant_type: 'refresh_token', refresh_token: 'wrong' },
    ]) {
      const { status, body, headers } = await ask(wrong)
      expect([status, body.error, headers.has('www-authenticate')]).toEqual([400, 'invalid_grant', false])
    }
  })

  test('with the authentication of a service account are unauthorized_client, and of a wrong one invalid_client', async () => {
    expect((await ask(person, basic(key))).body.error).toBe('unauthorized_client')
    expect((await ask({ ...person, ...inBody })).body.error).toBe('unauthorized_client')
    const wrong = basic({ clientId: '', clientSecret: '' })
    expect((await ask(person, wrong)).body.error).toBe('invalid_client')
  })
})
