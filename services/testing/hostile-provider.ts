import { afterAll } from 'bun:test'
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { CLIENT } from './identity-provider.ts'

type Answer = (request: Request) => Response | Promise<Response>

const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
const other = await generateKeyPair('RS256')
const KID = 'a-key'

/** A provider whose answers a test forges. Without a change it signs in. */
export class HostileProvider {
  readonly #server: Bun.Server<undefined>
  /** Answers instead of those of the protocol, by path. */
  readonly answers = new Map<string, Answer>()
  /** Fields of the discovery document. */
  discovery: Record<string, unknown> = {}
  /** Claims of the id token; undefined removes one. */
  claims: Record<string, unknown> = {}
  /** Signs the id token. */
  sign = (claims: JWTPayload) => signed(claims)
  nonce = ''
  /** The paths that were asked. */
  readonly asked: string[] = []

  constructor() {
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 60,
      fetch: (request) => this.#answer(request),
    })
    afterAll(() => this.#server.stop(true))
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#server.port}`
  }

  reset(): void {
    this.answers.clear()
    this.discovery = {}
    this.claims = {}
    this.sign = signed
    this.asked.length = 0
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    this.asked.push(pathname)
    const answer = this.answers.get(pathname)
    if (answer) return answer(request)
    const { issuer } = this
    if (pathname === '/.well-known/openid-configuration') {
      return Response.json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
        ...this.discovery,
      })
    }
    if (pathname === '/jwks')
      return Response.json({ keys: [{ ...(await exportJWK(publicKey)), kid: KID, use: 'sig' }] })
    if (pathname === '/token') {
      const seconds = Math.floor(Date.now() / 1000)
      const claims = {
        iss: issuer,
        aud: CLIENT.clientId,
        sub: 'forged',
        iat: seconds,
        exp: seconds + 60,
        nonce: this.nonce,
        email: 'forged@hostile.example.net',
        email_verified: true,
        ...this.claims,
      }
      return Response.json({
        access_token: 'a',
        token_type: 'Bearer',
        expires_in: 60,
        id_token: await this.sign(claims),
      })
    }
    return new Response('', { status: 404 })
  }
}

const signed = (claims: JWTPayload) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: KID }).sign(privateKey)

/** Forged signatures of an id token. */
export const FORGERIES: Record<string, (claims: JWTPayload) => Promise<string>> = {
  'no signature': async (claims) => new UnsecuredJWT(claims).encode(),
  'HS256 with the public key': async (claims) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: KID })
      .sign(new TextEncoder().encode(await exportSPKI(publicKey))),
  'HS256 with the client secret': (claims) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: KID })
      .sign(new TextEncoder().encode(CLIENT.clientSecret)),
  'another key': (claims) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: KID }).sign(other.privateKey),
  'a key of its own header': async (claims) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', jwk: await exportJWK(other.publicKey) })
      .sign(other.privateKey),
}
