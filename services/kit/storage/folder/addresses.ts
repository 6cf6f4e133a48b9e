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
    const given = Buffer.from(signature, 'base64url')
    return this.#keys.some((key) => {
      const mac = macOf(key, grant)
      return mac.byteLength === given.byteLength && timingSafeEqual(mac, given)
    })
  }
}

const macOf = (key: Uint8Array, { method, key: object, expires, name, type }: Grant): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify([method, object, expires, name ?? null, type ?? null]))
    .digest()
