import { describe, expect, test } from 'bun:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import { ApiClient } from '../../testing/client.ts'
import { freePort } from '../../testing/free-port.ts'
import { marketplaceOf, TEST_PASSWORD } from '../../testing/marketplace.ts'
import { until } from '../../testing/until.ts'

const port = await freePort()
const publicUrl = `http://127.0.0.1:${port}`
const market = await marketplaceOf(['sourcing'], { PORT: String(port), PUBLIC_URL: publicUrl })
const org = await market.organization(['IP_OWNER'])
const { email } = org.administrator

/** The test server has no certificate. */
const insecure = { [oauth.allowInsecureRequests]: true }
const client: oauth.Client = { client_id: 'a-standard-client' }
const isAccepted = async (accessToken: string) =>
  (await new ApiClient(market.url, accessToken).get('/v1/parts')).status === 200

async function discovered(): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(publicUrl)
  const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
  return oauth.processDiscoveryResponse(issuer, response)
}

async function signedIn(server: oauth.AuthorizationServer): Promise<oauth.TokenEndpointResponse> {
  const parameters = { username: email, password: TEST_PASSWORD, scope: 'anything' }
  const response = await oauth.genericTokenEndpointRequest(
    server,
    client,
    oauth.None(),
    'password',
    parameters,
    insecure,
  )
  return oauth.processGenericTokenEndpointResponse(server, client, response)
}

describe('a standard OAuth client', () => {
  test('discovers the server, signs in and verifies the access token with its keys', async () => {
    const server = await discovered()
    const tokens = await signedIn(server)
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 900 })
    expect(await isAccepted(tokens.access_token)).toBe(true)
    const keys = createRemoteJWKSet(new URL(server.jwks_uri as string))
    const { payload } = await jwtVerify(tokens.access_token, keys, { issuer: server.issuer, typ: 'at+jwt' })
    expect(payload.aud).toBe('marketplace')
  })

  test('refreshes a token', async () => {
    const server = await discovered()
    const { refresh_token = '' } = await signedIn(server)
    const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refresh_token, insecure)
    const tokens = await oauth.processRefreshTokenResponse(server, client, response)
    expect(tokens.refresh_token).not.toBe(refresh_token)
    expect(await isAccepted(tokens.access_token)).toBe(true)
  })

  test('revokes a token with the bearer token of the user', async () => {
    const server = await discovered()
    const [tokens, other] = [await signedIn(server), await signedIn(server)]
    const asUser: oauth.ClientAuth = (_server, _client, _body, headers) =>
      headers.set('authorization', `Bearer ${other.access_token}`)
    const { refresh_token = '' } = tokens
    const response = await oauth.revocationRequest(server, client, asUser, refresh_token, insecure)
    await oauth.processRevocationResponse(response)
    await until(async () => !(await isAccepted(tokens.access_token)))
    expect(await isAccepted(other.access_token)).toBe(true)
  })
})

test('discovery names only what the server supports', async () => {
  const { status, body } = await market.anonymous.get('/.well-known/oauth-authorization-server')
  expect(status).toBe(200)
  expect(body).toEqual({
    issuer: publicUrl,
    token_endpoint: `${publicUrl}/v2.3/oauth/token`,
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint: `${publicUrl}/v2.3/oauth/revoke`,
    revocation_endpoint_auth_methods_supported: ['none'],
    jwks_uri: `${publicUrl}/.well-known/jwks.json`,
    grant_types_supported: ['password', 'refresh_token'],
    response_types_supported: [],
    service_documentation: `${publicUrl}/docs`,
  })
})

describe('a form', () => {
  const FORM = 'application/x-www-form-urlencoded'
  const send = (body: string, type = FORM) =>
    market.anonymous.post<{ error: { code: string; details?: { field: string; message: string }[] } }>(
      '/v2.3/oauth/token',
      body,
      { 'content-type': type },
    )
  const valid = new URLSearchParams({ grant_type: 'password', username: email, password: TEST_PASSWORD }).toString()

  test.each([FORM, 'Application/X-WWW-Form-URLencoded; charset=UTF-8'])('of type %s signs in', async (type) => {
    expect((await send(valid, type)).status).toBe(200)
  })

  test.each([
    ['a repeated parameter', `${valid}&username=other`, 'username', 'may be given once'],
    [
      'an empty password',
      'grant_type=password&username=x&password=',
      'password',
      'is required when grant_type is password',
    ],
    ['no grant_type', 'username=x', 'grant_type', 'is required'],
    ['an unknown grant_type', 'grant_type=implicit', 'grant_type', 'must be one of password, refresh_token'],
    ['NUL in a value', 'grant_type=password&username=a%00b&password=x', 'username', 'must not contain NUL'],
  ])('with %s is 422', async (_, body, field, message) => {
    const answer = await send(body)
    expect([answer.status, answer.body.error.code]).toEqual([422, 'validation_error'])
    expect(answer.body.error.details).toEqual([{ field, message }])
  })

  test('with a wrong password is 401', async () => {
    const answer = await send(`grant_type=password&username=${encodeURIComponent(email)}&password=wrong`)
    expect([answer.status, answer.body.error.code]).toEqual([401, 'invalid_credentials'])
  })

  test('in another charset, or to an operation that takes JSON only, is 415', async () => {
    expect((await send(valid, `${FORM}; charset=latin1`)).status).toBe(415)
    const answer = await org.administrator.client.post('/v1/parts', 'title=x', { 'content-type': FORM })
    expect(answer.status).toBe(415)
  })
})
