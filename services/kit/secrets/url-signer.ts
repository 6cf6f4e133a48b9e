import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** What a signed URL allows. */
export interface Grant {
  method: 'PUT' | 'GET'
  key: string
  /** In seconds since 1970. */
  expires: number
  name?: string | undefined
  type?: string | undefined
}

/**
 * HMAC with keys derived from the encryption keys: the first key signs, every key verifies. A signature of one purpose
 * is not valid for another.
 */
export class UrlSigner {
  readonly #keys: readonly Uint8Array[]

  constructor(encryptionKeys: string, purpose: 'files' | 'previews' = 'files') {
    this.#keys = encryptionKeys.split(',').map((pair) => {
      const secret = Buffer.from(pair.slice(pair.indexOf(':') + 1), 'base64')
      return new Uint8Array(hkdfSync('sha256', secret, '', `addresses of ${purpose}`, 32))
    })
  }

  sign(grant: Grant): string {
    return macOf(this.#keys[0] as Uint8Array, grant).toString('base64url')
  }

  verify(grant: Grant, signature: string): boolean {
    // Compared as text, because base64url decoders accept several spellings of the same bytes.
    const given = Buffer.from(signature)
    return this.#keys.some((key) => {
      const expected = Buffer.from(macOf(key, grant).toString('base64url'))
      return expected.byteLength === given.byteLength && timingSafeEqual(expected, given)
    })
  }
}

const macOf = (key: Uint8Array, { method, key: object, expires, name, type }: Grant): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify([method, object, expires, name ?? null, type ?? null]))
    .digest()
