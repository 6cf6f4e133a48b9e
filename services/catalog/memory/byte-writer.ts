const CHUNK_BYTES = 65_536

/** Gathers texts as UTF-8 in one run of bytes: a large catalog is then two blocks of memory, not a million small objects. */
export class ByteWriter {
  readonly #full: Buffer<ArrayBuffer>[] = []
  #chunk: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(0)
  #used = 0
  #fullBytes = 0

  /** How many bytes there are so far. */
  get length(): number {
    return this.#fullBytes + this.#used
  }

  write(text: string): void {
    // A code unit of UTF-16 needs at most three bytes of UTF-8.
    if (this.#used + text.length * 3 > this.#chunk.length) this.#startChunk(text.length * 3)
    this.#used += this.#chunk.write(text, this.#used)
  }

  /** Everything written, in one piece; the writer is used up. Each chunk is given back as soon as it is copied. */
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
