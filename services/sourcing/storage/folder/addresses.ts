import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** What an address of the folder allows: one method, one object, until then, under that name and type. */
export interface Grant {
  method: 'PUT' | 'GET'
  key: string
  /** In seconds since 1970. */
  expires: number
  name?: string | undefined
  type?: string | undefined
}

/** Signs addresses with keys that are derived from those that encrypt: the first signs, all are believed. */
export class AddressSigner {
  readonly #keys: readonly Uint8Array[]

  constructor(encryptionKeys: string) {
    this.#keys = encryptionKeys.split(',').map((pair) => {
      const secret = Buffer.from(pair.slice(pair.indexOf(':') + 1), 'base64')
      return new Uint8Array(hkdfSync('sha256', secret, '', 'addresses of files', 32))
    })
  }

  sign(grant: Grant): string {
    return macOf(this.#keys[0] as Uint8Array, grant).toString('base64url')
  }

  isSigned(grant: Grant, signature: string): boolean {
    // As text: decoders take other spellings of the same bytes, and what was changed is not what was given out.
    const given = Buffer.from(signature)
    return this.#keys.some((key) => {
      const own = Buffer.from(macOf(key, grant).toString('base64url'))
      return own.byteLength === given.byteLength && timingSafeEqual(own, given)
    })
  }
}

const macOf = (key: Uint8Array, { method, key: object, expires, name, type }: Grant): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify([method, object, expires, name ?? null, type ?? null]))
    .digest()
