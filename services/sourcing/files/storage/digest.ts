import { SNIFFED_BYTES, sniff } from './sniff.ts'
import { LengthMismatch, type ObjectInfo, TooLarge } from './storage.ts'

/** Counts and hashes the bytes of an object, and keeps the first ones to detect its type. */
export class Digest {
  readonly #maxBytes: number
  readonly #hash = new Bun.CryptoHasher('sha256')
  readonly #head = new Uint8Array(SNIFFED_BYTES)
  #sizeBytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get sizeBytes(): number {
    return this.#sizeBytes
  }

  update(chunk: Uint8Array): void {
    if (this.#sizeBytes + chunk.byteLength > this.#maxBytes) throw new TooLarge(this.#maxBytes)
    if (this.#sizeBytes < SNIFFED_BYTES) {
      this.#head.set(chunk.subarray(0, SNIFFED_BYTES - this.#sizeBytes), this.#sizeBytes)
    }
    this.#sizeBytes += chunk.byteLength
    this.#hash.update(chunk)
  }

  /** The result; throws if the length is not the announced one. */
  async finish(expectedBytes?: number): Promise<ObjectInfo> {
    const sizeBytes = this.#sizeBytes
    if (expectedBytes !== undefined && sizeBytes !== expectedBytes) throw new LengthMismatch()
    const head = this.#head.subarray(0, Math.min(sizeBytes, SNIFFED_BYTES))
    return { sizeBytes, sha256: this.#hash.digest('hex'), contentType: await sniff(head, sizeBytes) }
  }
}
