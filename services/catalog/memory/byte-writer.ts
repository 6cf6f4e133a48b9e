const CHUNK_BYTES = 65_536

/** Collects texts as UTF-8 in one buffer, so that a large catalog is two buffers instead of a million objects. */
export class ByteWriter {
  readonly #full: Buffer<ArrayBuffer>[] = []
  #chunk: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(0)
  #used = 0
  #fullBytes = 0

  /** Number of bytes so far. */
  get length(): number {
    return this.#fullBytes + this.#used
  }

  write(text: string): void {
    // A UTF-16 code unit needs at most three bytes in UTF-8.
    if (this.#used + text.length * 3 > this.#chunk.length) this.#startChunk(text.length * 3)
    this.#used += this.#chunk.write(text, this.#used)
  }

  /** Returns all bytes in one buffer and releases the chunks. The writer cannot be used afterwards. */
  finish(): Buffer<ArrayBuffer> {
    const bytes = Buffer.allocUnsafeSlow(this.length)
    let length = 0
    for (const chunk of [...this.#full, this.#chunk.subarray(0, this.#used)]) {
      length += chunk.copy(bytes, length)
      chunk.buffer.transfer(0)
    }
    return bytes
  }

  #startChunk(atLeastBytes: number): void {
    this.#full.push(this.#chunk.subarray(0, this.#used))
    this.#fullBytes += this.#used
    this.#chunk = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, atLeastBytes))
    this.#used = 0
  }
}
