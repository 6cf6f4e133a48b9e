import { describe, expect, test } from 'bun:test'
import {
  exportSPKI,
  generateKeyPair,
  importJWK,
  importPKCS8,
  type JWK,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose'
import { createSecretBox } from '../kit/secrets/box.ts'
import { ApiClient } from '../testing/client.ts'
import { testMarketplace } from '../testing/marketplace.ts'
import { until } from '../testing/until.ts'

const market = await testMarketplace()
const org = await market.organization(['IP_OWNER'])
const [key] = await market.db.owner<[{ kid: string; public_jwk: JWK; private_key: string }]>`
  select kid, public_jwk, private_key from identity.signing_keys`
const box = await createSecretBox(market.config.ENCRYPTION_KEYS)
const privateKey = await importPKCS8(await box.decrypt(key.private_key), 'ES256')
const validClaims: JWTPayload = JSON.parse(
  Buffer.from((org.administrator.client.accessToken as string).split('.')[1] as string, 'base64url').toString(),
)

const sign = (claims: JWTPayload, header: Record<string, unknown> = {}, signer = privateKey): Promise<string> =>
  new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.kid, ...header }).sign(signer)

const without = (name: string): JWTPayload =>
  Object.fromEntries(Object.entries(validClaims).filter(([claim]) => claim !== name))
const statusOf = async (token: string): Promise<number> =>
  (await new ApiClient(market.url, token).get('/v1/parts')).status

const FORGERIES: [string, () => Promise<string>][] = [
  ['alg none', async () => new UnsecuredJWT(validClaims).encode()],
  [
    'HS256 with the public key',
    async () => {
      const publicKey = (await importJWK(key.public_jwk, 'ES256', { extractable: true })) as CryptoKey
      const secret = new TextEncoder().encode(await exportSPKI(publicKey))
      return new SignJWT(validClaims).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: key.kid }).sign(secret)
    },
  ],
  ['typ JWT', () => sign(validClaims, { typ: 'JWT' })],
  ['another audience', () => sign({ ...validClaims, aud: 'other' })],
  ['another issuer', () => sign({ ...validClaims, iss: 'https://evil.example.com' })],
  ['no exp', () => sign(without('exp'))],
  ['no sub', () => sign(without('sub'))],
  ['no sid', () => sign(without('sid'))],
  ['no session_version', () => sign(without('session_version'))],
  ['a session from before the last reset of the user', () => sign({ ...validClaims, session_version: 0 })],
  ['no org', () => sign(without('org'))],
  ['no jti', () => sign(without('jti'))],
  ['no iat', () => sign(without('iat'))],
  ['session_version as text', () => sign({ ...validClaims, session_version: String(validClaims.session_version) })],
  ['expired', () => sign({ ...validClaims, exp: Math.floor(Date.now() / 1000) - 6 })],
  ['nbf in the future', () => sign({ ...validClaims, nbf: Math.floor(Date.now() / 1000) + 600 })],
  ['another organization', () => sign({ ...validClaims, org: 'org_01JZ8Q4D3R1G5M7VJ0T6W2X9YB' })],
  ['an unknown user', () => sign({ ...validClaims, sub: 'user_01JZ8Q4D3R1G5M7VJ0T6W2X9YB' })],
  ['a malformed act', () => sign({ ...validClaims, act: { sub: 1 } })],
  ['another signing key', async () => sign(validClaims, {}, (await generateKeyPair('ES256')).privateKey)],
  [
    'a signing key in the header',
    async () => {
      const pair = await generateKeyPair('ES256', { extractable: true })
      const jwk = await crypto.subtle.exportKey('jwk', pair.publicKey)
      return sign(validClaims, { jwk, jku: 'https://evil.example.com/jwks.json' }, pair.privateKey)
    },
  ],
  ['an unknown kid', () => sign(validClaims, { kid: 'key_unknown' })],
  ['20 KB', async () => `${await sign(validClaims)}${'A'.repeat(20_000)}`],
  ['a changed payload', async () => withOtherPayload(await sign(validClaims))],
  ['an empty token', async () => ''],
]

describe('access tokens', () => {
  test('a token with the signing key and valid claims is accepted', async () => {
    expect(await statusOf(await sign(validClaims))).toBe(200)
  })

  test.each(FORGERIES)('%s is 401', async (_, forge) => {
    expect(await statusOf(await forge())).toBe(401)
  })

  test('a token is accepted for five seconds after it expired, because clocks differ', async () => {
    const expiredFor = (seconds: number) => sign({ ...validClaims, exp: Math.floor(Date.now() / 1000) - seconds })
    // The clock may advance by a second between signing and the check.
    expect(await statusOf(await expiredFor(3))).toBe(200)
    for (const seconds of [6, 10, 59]) expect(await statusOf(await expiredFor(seconds))).toBe(401)
  })

  test('the challenge tells a missing, a malformed and an expired token apart', async () => {
    const token = org.administrator.client.accessToken as string
    const problem = (description: string) => `Bearer error="invalid_token", error_description="${description}"`
    const expired = await sign({ ...validClaims, exp: Math.floor(Date.now() / 1000) - 6 })
    for (const path of ['/v1/parts', '/v2.3/oauth/revoke']) {
      const challengeOf = async (authorization: string | undefined) => {
        const headers = authorization === undefined ? {} : { headers: { authorization } }
        const answer = await market.anonymous.send(path === '/v1/parts' ? 'GET' : 'POST', path, headers)
        expect(answer.status).toBe(401)
        return answer.headers.get('www-authenticate')
      }
      expect(await challengeOf(undefined)).toBe('Bearer')
      expect(await challengeOf(`Basic ${token}`)).toBe('Bearer')
      expect(await challengeOf('Bearer')).toBe('Bearer')
      for (const malformed of ['Bearer x y', 'Bearer nonsense', `Bearer ${'x'.repeat(20_000)}`]) {
        expect(await challengeOf(malformed)).toBe(problem('The access token is malformed.'))
      }
      expect(await challengeOf(`Bearer ${expired}`)).toBe(problem('The access token has expired.'))
      expect(await challengeOf(`Bearer ${withOtherPayload(token)}`)).toBe(problem('The access token is not valid.'))
    }
  })

  test('an ended session is the same answer as a wrong signature', async () => {
    const { client } = await org.member([])
    const forged = withOtherPayload(client.accessToken as string)
    expect((await client.post('/v2.3/oauth/revoke')).status).toBe(200)
    await until(async () => (await client.get('/v1/parts')).status === 401)
    const [ended, wrong] = await Promise.all(
      [client, new ApiClient(market.url, forged)].map((each) =>
        each.get('/v1/parts', { headers: { 'x-request-id': 'same' } }),
      ),
    )
    expect(ended?.text).toBe(wrong?.text as string)
    expect(ended?.headers.get('www-authenticate')).toBe(wrong?.headers.get('www-authenticate') as string)
  })

  test('other schemes and malformed headers are 401', async () => {
    const token = org.administrator.client.accessToken
    for (const authorization of [`Basic ${token}`, `Bearer`, `Bearer ${token} x`, `bearer  `, token as string]) {
      const answer = await market.anonymous.get('/v1/parts', { headers: { authorization } })
      expect(answer.status).toBe(401)
    }
    const lower = await market.anonymous.get('/v1/parts', { headers: { authorization: `bearer ${token}` } })
    expect(lower.status).toBe(200)
  })
})

function withOtherPayload(token: string): string {
  const [header, payload, signature] = token.split('.') as [string, string, string]
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const altered = Buffer.from(JSON.stringify({ ...claims, org: 'org_x' })).toString('base64url')
  return [header, altered, signature].join('.')
}
