import { LRUCache } from 'lru-cache'
import { UrlSigner } from '../../kit/secrets/url-signer.ts'
import { expiryOf } from './rules.ts'

/** Signs and verifies the URLs of previews, which both stores serve through this service. */
export class PreviewUrls {
  readonly #signer: UrlSigner
  readonly #publicUrl: string
  /** The URLs of this half of a life, because the lists of many readers show the same pictures. */
  readonly #signed = new LRUCache<string, string>({ max: 20_000 })
  #expires = 0

  constructor({ PUBLIC_URL, ENCRYPTION_KEYS }: { PUBLIC_URL: string; ENCRYPTION_KEYS: string }) {
    this.#signer = new UrlSigner(ENCRYPTION_KEYS, 'previews')
    this.#publicUrl = PUBLIC_URL
  }

  of(key: string, now: string): string {
    const expires = expiryOf(now)
    if (expires !== this.#expires) {
      this.#signed.clear()
      this.#expires = expires
    }
    const known = this.#signed.get(key)
    if (known !== undefined) return known
    const url = this.#urlOf(key, expires)
    this.#signed.set(key, url)
    return url
  }

  #urlOf(key: string, expires: number): string {
    const url = new URL(`/files/previews/${key}`, this.#publicUrl)
    url.searchParams.set('expires', String(expires))
    url.searchParams.set('signature', this.#signer.sign({ method: 'GET', key, expires }))
    return url.href
  }

  allows({ key, expires, signature }: { key: string; expires: number; signature: string }, now: string): boolean {
    return expires * 1000 > Date.parse(now) && this.#signer.verify({ method: 'GET', key, expires }, signature)
  }
}
