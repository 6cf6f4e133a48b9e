import { describe, expect, test } from 'bun:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { ApiClient } from '../../testing/client.ts'
import { freePort } from '../../testing/free-port.ts'
import { marketplaceWithWorkers, TEST_PASSWORD } from '../../testing/marketplace.ts'
import { createdAccount, createdKey } from '../../testing/service-accounts.ts'
import { until } from '../../testing/until.ts'

const port = await freePort()
const publicUrl = `http://127.0.0.1:${port}`
const market = await marketplaceWithWorkers(['sourcing'], { PORT: String(port), PUBLIC_URL: publicUrl })
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
    const request = new Request(publicUrl, { headers: { authorization: `Bearer ${tokens.access_token}` } })
    const claims = await oauth.validateJwtAccessToken(server, request, 'marketplace', insecure)
    expect([claims.sub, claims.client_id]).toEqual([org.administrator.userId, 'marketplace'])
  })

  test('refreshes a token', async () => {
    const server = await discovered()
    const { refresh_token = '' } = await signedIn(server)
    const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refresh_token, insecure)
    const tokens = await oauth.processRefreshTokenResponse(server, client, response)
    expect(tokens.refresh_token).not.toBe(refresh_token)
    expect(await isAccepted(tokens.access_token)).toBe(true)
  })

  test('revokes a token of a user without client authentication', async () => {
    const server = await discovered()
    const [tokens, other] = [await signedIn(server), await signedIn(server)]
    const { refresh_token = '' } = tokens
    const response = await oauth.revocationRequest(server, client, oauth.None(), refresh_token, insecure)
    await oauth.processRevocationResponse(response)
    await until(async () => !(await isAccepted(tokens.access_token)))
    expect(await isAccepted(other.access_token)).toBe(true)
  })
})

describe('a standard OAuth client with a key of a service account', () => {
  const { client: admin } = org.administrator
  const newKey = async () => createdKey(admin, (await createdAccount(admin)).id)
  const grant = async (server: oauth.AuthorizationServer, clientId: string, auth: oauth.ClientAuth) => {
    const program = { client_id: clientId }
    const parameters = new URLSearchParams()
    const response = await oauth.clientCredentialsGrantRequest(server, program, auth, parameters, insecure)
    return oauth.processClientCredentialsResponse(server, program, response)
  }

  test.each([
    ['client_secret_basic', oauth.ClientSecretBasic],
    ['client_secret_post', oauth.ClientSecretPost],
  ])('obtains a token by %s, introspects and revokes it', async (method, authenticate) => {
    const server = await discovered()
    expect(server.token_endpoint_auth_methods_supported).toContain(method)
    const { clientId, clientSecret } = await newKey()
    const auth = authenticate(clientSecret)
    const tokens = await grant(server, clientId, auth)
    expect([tokens.expires_in, tokens.refresh_token]).toEqual([900, undefined])
    expect(await isAccepted(tokens.access_token)).toBe(true)
    const program = { client_id: clientId }
    const introspect = async () => {
      const response = await oauth.introspectionRequest(server, program, auth, tokens.access_token, insecure)
      return oauth.processIntrospectionResponse(server, program, response)
    }
    expect(await introspect()).toMatchObject({ active: true, client_id: clientId })
    const response = await oauth.revocationRequest(server, program, auth, tokens.access_token, insecure)
    await oauth.processRevocationResponse(response)
    expect(await introspect()).toEqual({ active: false })
  })

  test('reads why its secret is refused from the challenge', async () => {
    const { clientId } = await newKey()
    const error = await grant(await discovered(), clientId, oauth.ClientSecretBasic('wrong')).catch((each) => each)
    expect(error).toBeInstanceOf(oauth.WWWAuthenticateChallengeError)
    expect(error.status).toBe(401)
    expect(error.cause[0]).toMatchObject({
      scheme: 'basic',
      parameters: { error: 'invalid_client', error_description: 'The client id or the secret is wrong.' },
    })
  })

  test('reads why another request is refused from the error object', async () => {
    const server = await discovered()
    const refused = async (grantType: string, parameters: Record<string, string>) => {
      const response = await oauth.genericTokenEndpointRequest(
        server,
        client,
        oauth.None(),
        grantType,
        parameters,
        insecure,
      )
      return oauth.processGenericTokenEndpointResponse(server, client, response).catch((each) => each)
    }
    const wrong = await refused('password', { username: email, password: 'wrong' })
    expect(wrong).toBeInstanceOf(oauth.ResponseBodyError)
    expect([wrong.error, wrong.error_description, wrong.status]).toEqual([
      'invalid_grant',
      'The credentials are not valid.',
      400,
    ])
    expect((await refused('urn:ietf:params:oauth:grant-type:device_code', {})).error).toBe('unsupported_grant_type')
  })
})

describe('openid-client with a key of a service account', () => {
  const configured = (clientId: string, secret: string) =>
    openid.discovery(new URL(publicUrl), clientId, secret, openid.ClientSecretBasic(secret), {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    })

  test('discovers the server, obtains a token, introspects and revokes it', async () => {
    const { client: admin } = org.administrator
    const { clientId, clientSecret } = await createdKey(admin, (await createdAccount(admin)).id)
    const config = await configured(clientId, clientSecret)
    const { access_token } = await openid.clientCredentialsGrant(config)
    expect(await isAccepted(access_token)).toBe(true)
    expect(await openid.tokenIntrospection(config, access_token)).toMatchObject({ active: true, client_id: clientId })
    await openid.tokenRevocation(config, access_token)
    expect<object>(await openid.tokenIntrospection(config, access_token)).toEqual({ active: false })
  })

  test('throws an error with the reason for a wrong secret', async () => {
    const config = await configured('sak_01JZ8Q4D3R1G5M7VJ0T6W2X9YB', 'wrong')
    const error = await openid.clientCredentialsGrant(config).catch((each) => each)
    expect([error.code, error.status]).toEqual(['OAUTH_WWW_AUTHENTICATE_CHALLENGE', 401])
    expect(JSON.stringify(error.cause)).toContain('The client id or the secret is wrong.')
  })
})

test('discovery names only what the server supports', async () => {
  const { status, body } = await market.anonymous.get('/.well-known/oauth-authorization-server')
  expect(status).toBe(200)
  expect(body).toEqual({
    issuer: publicUrl,
    token_endpoint: `${publicUrl}/flows/v1/oauth/token`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    revocation_endpoint: `${publicUrl}/flows/v1/oauth/revoke`,
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    introspection_endpoint: `${publicUrl}/flows/v1/oauth/introspect`,
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    jwks_uri: `${publicUrl}/.well-known/jwks.json`,
    grant_types_supported: ['client_credentials', 'password', 'refresh_token'],
    response_types_supported: [],
    service_documentation: `${publicUrl}/docs`,
  })
})

describe('a form to POST /v2.3/oauth/token', () => {
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
