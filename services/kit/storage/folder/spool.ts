import type { FileHandle } from 'node:fs/promises'
import { Measure } from '../measure.ts'
import type { Facts, Incoming } from '../storage.ts'
import { BUFFER_BYTES, giveBack, takeBuffer } from './buffers.ts'
import { trailerOf } from './trailer.ts'

/** Chunks that are smaller are gathered: a sender far away sends thousands of them. */
const WORTH_A_WRITE_BYTES = 64 * 1024

/** Writes a stream, and what is known of it, to a new file and down to the disk. Bytes are hashed while they are written. */
export async function spool(
  file: FileHandle,
  bytes: AsyncIterable<Uint8Array>,
  { maxBytes, expectedBytes, signal, onProgress }: Incoming,
): Promise<Facts> {
  const measure = new Measure(maxBytes)
  const writer = new Writer(file)
  try {
    for await (const chunk of bytes) {
      signal.throwIfAborted()
      // The chunk is ours until the next one is asked for.
      await writer.write(chunk, () => measure.add(chunk))
      onProgress?.(measure.sizeBytes)
    }
    measure.demand(expectedBytes)
    const facts = await measure.facts()
    await writer.end(trailerOf(facts))
    await file.datasync()
    return facts
  } finally {
    writer.free()
  }
}

class Writer {
  readonly #file: FileHandle
  readonly #buffer = takeBuffer()
  #filled = 0

  constructor(file: FileHandle) {
    this.#file = file
  }

  /** Takes a chunk, and lets something else be done with it, meanwhile where it is written by itself. */
  async write(chunk: Uint8Array, meanwhile: () => void): Promise<void> {
    if (chunk.byteLength < WORTH_A_WRITE_BYTES) {
      meanwhile()
      await this.#gather(chunk)
      return
    }
    await this.#flush()
    const writing = writeAll(this.#file, chunk)
    try {
      meanwhile()
    } finally {
      await writing
    }
  }

  async end(last: Uint8Array): Promise<void> {
    await this.#gather(last)
    await this.#flush()
  }

  /** No write is going on any more. */
  free(): void {
    giveBack(this.#buffer)
  }

  async #gather(chunk: Uint8Array): Promise<void> {
    if (this.#filled + chunk.byteLength > BUFFER_BYTES) await this.#flush()
    this.#buffer.set(chunk, this.#filled)
    this.#filled += chunk.byteLength
  }

  async #flush(): Promise<void> {
    if (this.#filled === 0) return
    await writeAll(this.#file, this.#buffer.subarray(0, this.#filled))
    this.#filled = 0
  }
}

/** A disk that is nearly full takes part of a write and says nothing. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.byteLength - written)
    written += bytesWritten
  }
}
