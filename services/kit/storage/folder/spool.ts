import { type FileHandle, open } from 'node:fs/promises'
import { Measure } from '../measure.ts'
import type { Facts, Incoming } from '../storage.ts'

/** Written at once: few enough bytes for many uploads, enough for few calls. Two of these are held for each. */
const BUFFER_BYTES = 1024 * 1024

/** Writes a stream into a new file and down to the disk. Reading goes on while the last buffer is being written. */
export async function spool(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  { maxBytes, expectedBytes, signal, onProgress }: Incoming,
): Promise<Facts> {
  const measure = new Measure(maxBytes)
  const file = await open(path, 'w', 0o600)
  const writer = new Writer(file)
  try {
    for await (const chunk of bytes) {
      signal.throwIfAborted()
      measure.add(chunk)
      await writer.write(chunk)
      onProgress?.(measure.sizeBytes)
    }
    measure.demand(expectedBytes)
    await writer.end()
    await file.datasync()
  } finally {
    await writer.settled()
    await file.close()
  }
  return measure.facts()
}

class Writer {
  readonly #file: FileHandle
  #filling = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  #emptying = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  #filled = 0
  #writing: Promise<void> = Promise.resolve()
  #failure: { error: unknown } | undefined

  constructor(file: FileHandle) {
    this.#file = file
  }

  async write(chunk: Uint8Array): Promise<void> {
    for (let taken = 0; taken < chunk.byteLength; ) {
      const part = chunk.subarray(taken, taken + BUFFER_BYTES - this.#filled)
      this.#filling.set(part, this.#filled)
      this.#filled += part.byteLength
      taken += part.byteLength
      if (this.#filled === BUFFER_BYTES) await this.#turn()
    }
  }

  async end(): Promise<void> {
    await this.#turn()
    await this.#written()
  }

  /** The last write is over, well or not. */
  settled(): Promise<void> {
    return this.#writing
  }

  /** The full buffer goes to the disk, the other one is filled. */
  async #turn(): Promise<void> {
    await this.#written()
    const full = this.#filling.subarray(0, this.#filled)
    ;[this.#filling, this.#emptying] = [this.#emptying, this.#filling]
    this.#filled = 0
    this.#writing = writeAll(this.#file, full).catch((error) => {
      this.#failure = { error }
    })
  }

  async #written(): Promise<void> {
    await this.#writing
    if (this.#failure) throw this.#failure.error
  }
}

/** A disk that is nearly full takes part of a write and says nothing. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.byteLength - written)
    written += bytesWritten
  }
}
