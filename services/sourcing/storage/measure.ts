import { SNIFFED_BYTES, sniff } from './sniff.ts'
import { CutShort, type Facts, TooLarge } from './storage.ts'

/** Counts, hashes and keeps the beginning of bytes that go by. */
export class Measure {
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

  /** At the end, before anything of it is kept. */
  demand(expectedBytes: number | undefined): void {
    if (expectedBytes !== undefined && this.#sizeBytes !== expectedBytes) throw new CutShort()
  }

  add(chunk: Uint8Array): void {
    if (this.#sizeBytes + chunk.byteLength > this.#maxBytes) throw new TooLarge(this.#maxBytes)
    if (this.#sizeBytes < SNIFFED_BYTES) {
      this.#head.set(chunk.subarray(0, SNIFFED_BYTES - this.#sizeBytes), this.#sizeBytes)
    }
    this.#sizeBytes += chunk.byteLength
    this.#hash.update(chunk)
  }

  async facts(): Promise<Facts> {
    const sizeBytes = this.#sizeBytes
    const head = this.#head.subarray(0, Math.min(sizeBytes, SNIFFED_BYTES))
    return { sizeBytes, sha256: this.#hash.digest('hex'), contentType: await sniff(head, sizeBytes) }
  }
}
