import { describe, expect, test } from 'bun:test'
import type { PasskeyCreationOptions } from '../../../proto/http/identity/passkeys.ts'
import { type Lies, TestAuthenticator, WRONG_ANSWERS } from '../../testing/authenticator.ts'
import { marketplaceOf } from '../../testing/marketplace.ts'
import { PASSKEYS, startedPasskey } from '../../testing/passkeys.ts'
import type { Problem } from '../../testing/people.ts'

const market = await marketplaceOf([])
const org = await market.organization(['CONSUMER'])
const newAuthenticator = () => new TestAuthenticator(market.config.PUBLIC_URL)

describe('a registration', () => {
  const options = async (): Promise<[Awaited<ReturnType<typeof org.member>>, PasskeyCreationOptions]> => {
    const member = await org.member([])
    return [member, await startedPasskey(member.client)]
  }

  const WRONG_REGISTRATIONS: [string, Lies][] = [
    ...WRONG_ANSWERS.filter(([, { signedBy, userHandle, type }]) => !signedBy && !userHandle && !type),
    ['of another type', { type: 'webauthn.get' }],
    ['with bytes after the key', { extraBytes: new Uint8Array(8) }],
  ]
  test.each(WRONG_REGISTRATIONS)('with an answer %s is 400', async (_, lies) => {
    const [{ client }, started] = await options()
    const answer = await client.post<Problem>(PASSKEYS, {
      name: 'X',
      credential: newAuthenticator().create(started, lies),
    })
    expect([answer.status, answer.body.errors]).toEqual([
      400,
      [{ field: 'credential', message: 'is not a valid answer to the challenge' }],
    ])
  })

  test('with an answer that was sent before is 400', async () => {
    const [{ client }, started] = await options()
    const credential = newAuthenticator().create(started)
    expect((await client.post(PASSKEYS, { name: 'X', credential })).status).toBe(201)
    expect((await client.post(PASSKEYS, { name: 'X', credential })).status).toBe(400)
  })

  test('reads no attestation: one with a certificate that names an address to fetch changes nothing', async () => {
    const [{ client }, started] = await options()
    const attestation = { fmt: 'apple', attStmt: { x5c: [new Uint8Array(64).fill(48)] } }
    const credential = newAuthenticator().create(started, { attestation })
    expect((await client.post(PASSKEYS, { name: 'X', credential })).status).toBe(201)
  })

  test('with an attestation above the limit is 400, and above the body is 413', async () => {
    const [{ client }, started] = await options()
    for (const [bytes, status] of [
      [7000, 400],
      [14_000, 413],
    ] as const) {
      const attestation = { fmt: 'packed', attStmt: { sig: new Uint8Array(bytes) } }
      const credential = newAuthenticator().create(started, { attestation })
      expect((await client.post(PASSKEYS, { name: 'X', credential })).status).toBe(status)
    }
  })

  test.each([
    ['no CBOR', 'AAAA'],
    ['a number', 'GGQ'],
    ['deep nesting', Buffer.alloc(6000, 0x81).toString('base64url')],
  ])('with %s as attestation object is 400', async (_, attestationObject) => {
    const [{ client }, started] = await options()
    const credential = { ...newAuthenticator().create(started), attestationObject }
    expect((await client.post(PASSKEYS, { name: 'X', credential })).status).toBe(400)
  })

  test('a client without JSON in its data is 400', async () => {
    const [{ client }, started] = await options()
    for (const text of ['null', '[]', '{', '"x"', '{"challenge":{}}']) {
      const clientDataJSON = Buffer.from(text).toString('base64url')
      const credential = { ...newAuthenticator().create(started), clientDataJSON }
      expect((await client.post(PASSKEYS, { name: 'X', credential })).status).toBeOneOf([400, 429])
    }
  })
})
