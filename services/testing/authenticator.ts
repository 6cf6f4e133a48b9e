import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { encode } from 'cborg'
import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreationOptions,
  PasskeyRequestOptions,
} from '../../proto/http/identity/passkeys.ts'

const FLAGS = { userPresent: 0x01, userVerified: 0x04, attestedData: 0x40 }
const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest()

/** What a hostile authenticator or page sends instead of the truth. */
export interface Lies {
  origin?: string
  rpId?: string
  challenge?: string
  type?: string
  crossOrigin?: boolean
  isVerified?: boolean
  isPresent?: boolean
  counter?: number
  /** Another key signs. */
  signedBy?: KeyObject
  userHandle?: string
  /** Format and statement of the attestation. */
  attestation?: { fmt: string; attStmt: Record<string, unknown> }
  extraBytes?: Uint8Array
}

interface Credential {
  id: Buffer
  privateKey: KeyObject
  userHandle: string
  counter: number
}

/** An authenticator in software: P-256 keys, with a counter unless it is made without one. */
export class TestAuthenticator {
  readonly #origin: string
  readonly #counts: boolean
  readonly credentials: Credential[] = []

  constructor(publicUrl: string, { counts = true }: { counts?: boolean } = {}) {
    this.#origin = new URL(publicUrl).origin
    this.#counts = counts
  }

  #clientData(type: string, challenge: string, lies: Lies): Buffer {
    const { origin = this.#origin, crossOrigin = false } = lies
    const clientData = { type: lies.type ?? type, challenge: lies.challenge ?? challenge, origin, crossOrigin }
    return Buffer.from(JSON.stringify(clientData))
  }

  #authData(rpId: string, counter: number, lies: Lies, attested?: Uint8Array): Buffer {
    const { isVerified = true, isPresent = true } = lies
    const flags =
      (isPresent ? FLAGS.userPresent : 0) | (isVerified ? FLAGS.userVerified : 0) | (attested ? FLAGS.attestedData : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(lies.counter ?? counter)
    return Buffer.concat([sha256(lies.rpId ?? rpId), Buffer.from([flags]), count, attested ?? Buffer.alloc(0)])
  }

  /** Makes a credential. */
  create({ challenge, rp, user }: PasskeyCreationOptions, lies: Lies = {}): PasskeyAttestation {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const id = randomBytes(16)
    this.credentials.push({ id, privateKey, userHandle: user.id, counter: 0 })
    const jwk = publicKey.export({ format: 'jwk' })
    const coordinate = (text = '') => Buffer.from(text, 'base64url')
    // COSE_Key: EC2, ES256, P-256.
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(coordinate(jwk.x))],
      [-3, new Uint8Array(coordinate(jwk.y))],
    ])
    const length = Buffer.from([0, id.byteLength])
    const attested = Buffer.concat([Buffer.alloc(16), length, id, encode(key), lies.extraBytes ?? Buffer.alloc(0)])
    const authData = new Uint8Array(this.#authData(rp.id, 0, lies, attested))
    const { fmt = 'none', attStmt = {} } = lies.attestation ?? {}
    return {
      clientDataJSON: this.#clientData('webauthn.create', challenge, lies).toString('base64url'),
      attestationObject: Buffer.from(encode({ fmt, attStmt, authData })).toString('base64url'),
      transports: ['internal'],
    }
  }

  /** Answers a challenge with the newest credential, or that of the index. */
  get({ challenge, rpId }: PasskeyRequestOptions, lies: Lies = {}, index = -1): PasskeyAssertion {
    const credential = this.credentials.at(index)
    if (!credential) throw new Error('the authenticator has no credential')
    if (this.#counts) credential.counter += 1
    const authData = this.#authData(rpId, credential.counter, lies)
    const clientData = this.#clientData('webauthn.get', challenge, lies)
    const signed = Buffer.concat([authData, sha256(clientData)])
    return {
      id: credential.id.toString('base64url'),
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: sign('sha256', signed, lies.signedBy ?? credential.privateKey).toString('base64url'),
      userHandle: lies.userHandle ?? credential.userHandle,
    }
  }
}

/** A key of no authenticator. */
export const otherKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

/** Answers to a sign-in that are wrong, each in one way. */
export const WRONG_ANSWERS: [string, Lies][] = [
  ['of another origin', { origin: 'https://localhost.example.com' }],
  ['of another port', { origin: 'http://localhost:9999' }],
  ['of a frame of another site', { crossOrigin: true }],
  ['for another host', { rpId: 'example.com' }],
  ['to another challenge', { challenge: 'mZ1c5w0bXyq2Xn5y3P4kq0S1mVtQm7Yw8V3y6fJ2d0E' }],
  ['of another type', { type: 'webauthn.create' }],
  ['without verification of the user', { isVerified: false }],
  ['without presence of the user', { isPresent: false, isVerified: false }],
  ['signed by another key', { signedBy: otherKey() }],
  ['with the handle of another user', { userHandle: Buffer.from('user_other').toString('base64url') }],
]
