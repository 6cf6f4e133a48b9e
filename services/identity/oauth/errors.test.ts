import { describe, expect, test } from 'bun:test'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { basic, createdAccount, createdKey, FORM, type OAuthAnswer } from '../../testing/service-accounts.ts'

const BURST = 30
const market = await marketplaceOf([], {
  TRUSTED_PROXIES: '1',
  RATE_LIMIT_PER_SECOND: '10000',
  RATE_LIMIT_BURST: '10000',
})
const org = await market.organization(['IP_OWNER'])
const { client: admin } = org.administrator
const key = await createdKey(admin, (await createdAccount(admin)).id)

let addresses = 0
const elsewhere = () => ({ 'x-forwarded-for': `198.51.100.${(addresses++ % 250) + 1}` })
const send = (path: string, body: string, headers: Record<string, string> = {}, method = 'POST') =>
  market.anonymous.send<OAuthAnswer>(method, path, {
    headers: { ...FORM, ...elsewhere(), ...headers },
    ...(method === 'POST' ? { body } : {}),
  })

const TOKEN = '/flows/v1/oauth/token'
const INTROSPECT = '/flows/v1/oauth/introspect'
const REVOKE = '/flows/v1/oauth/revoke'
const GRANT = 'grant_type=client_credentials'
const { authorization } = basic(key)
const secretInBody = `client_id=${key.clientId}&client_secret=${key.clientSecret}`

/** RFC 6749, section 5.2: what a description may consist of. */
const DESCRIPTION = /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/

describe('every failure is an error object of RFC 6749', () => {
  test.each<[string, string, string, Record<string, string>, number, string]>([
    ['no grant type', TOKEN, 'a=b', { authorization }, 400, 'invalid_request'],
    ['an empty body', TOKEN, '', { authorization }, 400, 'invalid_request'],
    ['an unknown grant', TOKEN, 'grant_type=implicit', { authorization }, 400, 'unsupported_grant_type'],
    ['a known grant in capitals', TOKEN, 'grant_type=PASSWORD', {}, 400, 'unsupported_grant_type'],
    ['no password', TOKEN, 'grant_type=password&username=a', {}, 400, 'invalid_request'],
    ['no refresh token', TOKEN, 'grant_type=refresh_token', {}, 400, 'invalid_request'],
    ['no client authentication', TOKEN, GRANT, {}, 401, 'invalid_client'],
    ['a client id alone', TOKEN, `${GRANT}&client_id=${key.clientId}`, {}, 401, 'invalid_client'],
    ['a secret alone', TOKEN, `${GRANT}&client_secret=x`, {}, 400, 'invalid_request'],
    ['Basic and the form together', TOKEN, `${GRANT}&${secretInBody}`, { authorization }, 400, 'invalid_request'],
    [
      'a wrong secret in the form beside Basic',
      TOKEN,
      `${GRANT}&client_secret=x`,
      { authorization },
      400,
      'invalid_request',
    ],
    ['two client ids', TOKEN, `${GRANT}&client_id=other`, { authorization }, 400, 'invalid_request'],
    ['a repeated parameter', TOKEN, `${GRANT}&${GRANT}`, { authorization }, 400, 'invalid_request'],
    ['a repeated secret', TOKEN, `${GRANT}&${secretInBody}&client_secret=x`, {}, 400, 'invalid_request'],
    ['NUL', TOKEN, `${GRANT}&scope=%00`, { authorization }, 400, 'invalid_request'],
    ['no UTF-8', TOKEN, `${GRANT}&scope=%ff%fe`, { authorization }, 200, ''],
    ['a long parameter', TOKEN, `${GRANT}&scope=${'x'.repeat(1025)}`, { authorization }, 400, 'invalid_request'],
    ['a bearer token', TOKEN, GRANT, { authorization: `Bearer ${admin.accessToken}` }, 401, 'invalid_client'],
    ['Basic without a colon', TOKEN, GRANT, { authorization: `Basic ${btoa('abc')}` }, 401, 'invalid_client'],
    ['Basic with bad encoding', TOKEN, GRANT, { authorization: `Basic ${btoa('%zz:%ff')}` }, 401, 'invalid_client'],
    ['NUL in the id of Basic', TOKEN, GRANT, { authorization: `Basic ${btoa('a%00:x')}` }, 401, 'invalid_client'],
    ['plain NUL in the id of Basic', TOKEN, GRANT, { authorization: `Basic ${btoa('a\0:x')}` }, 401, 'invalid_client'],
    [
      'NUL in Basic at the introspection',
      INTROSPECT,
      'token=x',
      { authorization: `Basic ${btoa('a%00:x')}` },
      401,
      'invalid_client',
    ],
    ['Basic that is not base64', TOKEN, GRANT, { authorization: 'Basic ?' }, 401, 'invalid_client'],
    [
      'two credentials in Basic',
      TOKEN,
      GRANT,
      { authorization: `${authorization}, ${authorization}` },
      401,
      'invalid_client',
    ],
    ['a long header', TOKEN, GRANT, { authorization: `Basic ${'QTpC'.repeat(1000)}` }, 401, 'invalid_client'],
    [
      'JSON',
      TOKEN,
      '{"grant_type":"client_credentials"}',
      { authorization, 'content-type': 'application/json' },
      415,
      'invalid_request',
    ],
    ['no media type', TOKEN, GRANT, { authorization, 'content-type': '' }, 415, 'invalid_request'],
    [
      'another charset',
      TOKEN,
      GRANT,
      { authorization, 'content-type': `${FORM['content-type']}; charset=latin1` },
      415,
      'invalid_request',
    ],
    ['a long body', TOKEN, `a=${'x'.repeat(17_000)}`, { authorization }, 413, 'invalid_request'],
    ['the secret in the URL', `${TOKEN}?${secretInBody}`, GRANT, {}, 400, 'invalid_request'],
    ['a long URL', `${TOKEN}?a=${'x'.repeat(20_000)}`, GRANT, {}, 414, 'invalid_request'],
    ['long headers', TOKEN, GRANT, { 'x-padding': 'x'.repeat(70_000) }, 431, 'invalid_request'],
    ['an unknown endpoint', '/flows/v1/oauth/authorize', GRANT, {}, 404, 'invalid_request'],
    ['a slash behind', `${TOKEN}/`, GRANT, {}, 404, 'invalid_request'],
    ['no token to introspect', INTROSPECT, 'a=b', { authorization }, 400, 'invalid_request'],
    ['an introspection without authentication', INTROSPECT, 'token=x', {}, 401, 'invalid_client'],
    ['no token to revoke', REVOKE, 'token_type_hint=access_token', {}, 400, 'invalid_request'],
    [
      'a revocation with a wrong secret',
      REVOKE,
      `token=x&client_id=${key.clientId}&client_secret=x`,
      {},
      401,
      'invalid_client',
    ],
  ])('%s', async (_, path, body, headers, status, error) => {
    const answer = await send(path, body, headers)
    expect([answer.status, answer.body.error ?? '']).toEqual([status, error])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.headers.has('x-request-id')).toBe(true)
    expect(answer.headers.get('www-authenticate')?.startsWith('Basic realm="marketplace"') ?? false).toBe(
      status === 401,
    )
    if (error === '') return
    expect(Object.keys(answer.body)).toEqual(['error', 'error_description'])
    expect(answer.body.error_description).toMatch(DESCRIPTION)
    expect(answer.text).not.toContain(key.clientSecret.slice(8))
  })

  test('another method', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, body, headers } = await send(TOKEN, '', {}, method)
      expect([status, body.error, headers.get('allow')]).toEqual([405, 'invalid_request', 'POST, OPTIONS'])
    }
  })

  test('a text that is no host', async () => {
    const { status, body } = await send(TOKEN, GRANT, { host: 'x?y' })
    expect([status, body.error]).toEqual([400, 'invalid_request'])
  })

  test('more requests than the limit', async () => {
    const small = await marketplaceOf([], { RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: String(BURST) })
    const answers = []
    for (let n = 0; n < BURST + 5; n++) answers.push(await small.anonymous.post<OAuthAnswer>(TOKEN, GRANT, FORM))
    const limited = answers.filter(({ status }) => status === 429)
    expect(limited.length).toBeGreaterThan(0)
    expect(limited[0]?.body.error).toBe('temporarily_unavailable')
    expect(limited[0]?.headers.get('retry-after')).toBe('1')
    expect(limited[0]?.headers.get('cache-control')).toBe('no-store')
  })
})

describe('wrong secrets', () => {
  const wrong = (address: string, clientId = key.clientId) =>
    send(TOKEN, GRANT, { ...basic({ clientId, clientSecret: 'mkt_wrong' }), 'x-forwarded-for': address })

  test('are 429 after five of a client and address; the right one, other clients and people are served', async () => {
    const address = '203.0.113.1'
    const statuses: number[] = []
    for (let n = 0; n < 6; n++) statuses.push((await wrong(address)).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    const limited = await wrong(address)
    expect([limited.body.error, Number(limited.headers.get('retry-after')) > 0]).toEqual([
      'temporarily_unavailable',
      true,
    ])
    expect((await send(TOKEN, GRANT, { authorization, 'x-forwarded-for': address })).status).toBe(200)
    expect((await wrong('203.0.113.2')).status).toBe(401)
  })

  test('of 60 unknown clients keep no person of the address from signing in', async () => {
    const address = '203.0.113.3'
    const answers = []
    for (let n = 0; n < 61; n++) answers.push(await wrong(address, `sak_${n}`))
    expect(answers.map(({ status }) => status)).toEqual([...Array(60).fill(401), 429])
    const person = new URLSearchParams({
      grant_type: 'password',
      username: org.administrator.email,
      password: 'the password of every test user',
    })
    expect((await send(TOKEN, person.toString(), { 'x-forwarded-for': address })).status).toBe(200)
  })

  test('of a known and of an unknown client send the same statements', async () => {
    const failures = async () =>
      (await market.db.owner`select count(*)::int as count from identity.sign_in_failures`)[0]?.count as number
    const entries = async () =>
      (
        await market.db.owner`
          select count(*)::int as count from organization.audit_log where error = 'invalid_client'`
      )[0]?.count as number
    const [failuresBefore, entriesBefore] = [await failures(), await entries()]
    await wrong('203.0.113.4')
    await wrong('203.0.113.5', 'sak_01JZ8Q4D3R1G5M7VJ0T6W2X9YB')
    expect([(await failures()) - failuresBefore, (await entries()) - entriesBefore]).toEqual([1, 1])
  })
})
