import type { FileHandle } from 'node:fs/promises'
import { Measure } from '../measure.ts'
import type { Facts, Incoming } from '../storage.ts'
import { BUFFER_BYTES, giveBack, takeBuffer } from './buffers.ts'
import { openDirect, writeDirect } from './direct.ts'
import { trailerOf } from './trailer.ts'

/** Where a stream goes: a file that was just made, open and empty. */
export interface NewFile {
  file: FileHandle
  path: string
}

/**
 * Writes a stream, and what is known of it, to a new file and down to the disk. Bytes are received and hashed while those
 * before them are written.
 */
export async function spool(
  created: NewFile,
  bytes: AsyncIterable<Uint8Array>,
  { maxBytes, expectedBytes, signal, onProgress }: Incoming,
): Promise<Facts> {
  const measure = new Measure(maxBytes)
  const writer = new Writer(created)
  try {
    for await (const chunk of bytes) {
      signal.throwIfAborted()
      measure.add(chunk)
      await writer.write(chunk)
      onProgress?.(measure.sizeBytes)
    }
    measure.demand(expectedBytes)
    const facts = await measure.facts()
    await writer.write(trailerOf(facts))
    await writer.end()
    return facts
  } finally {
    await writer.free()
  }
}

/** Fills one buffer while the other one is written. */
class Writer {
  readonly #created: NewFile
  /** The same file, opened when the first buffer is full: a shorter one does without. */
  #direct: Promise<FileHandle | undefined> | undefined
  #filling = takeBuffer()
  #full = takeBuffer()
  #filledBytes = 0
  #writtenBytes = 0
  #writing: Promise<void> = Promise.resolve()

  constructor(created: NewFile) {
    this.#created = created
  }

  /** The chunk is its sender's again when this is done. */
  async write(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.byteLength; ) {
      const piece = chunk.subarray(at, at + BUFFER_BYTES - this.#filledBytes)
      this.#filling.set(piece, this.#filledBytes)
      this.#filledBytes += piece.byteLength
      at += piece.byteLength
      if (this.#filledBytes === BUFFER_BYTES) await this.#flush()
    }
  }

  /** All of it is on the disk then. */
  async end(): Promise<void> {
    await this.#flush()
    await this.#writing
    await this.#created.file.datasync()
  }

  async free(): Promise<void> {
    await this.#writing.catch(() => {})
    giveBack(this.#filling)
    giveBack(this.#full)
    const direct = await this.#direct?.catch(() => undefined)
    await direct?.close()
  }

  /** Begins to write what there is as soon as what was there before is written. */
  async #flush(): Promise<void> {
    await this.#writing
    const full = this.#filling
    this.#filling = this.#full
    this.#full = full
    this.#writing = this.#writeAll(full.subarray(0, this.#filledBytes))
    // A failure is told to whoever waits for it next, at the latest at the end.
    this.#writing.catch(() => {})
    this.#filledBytes = 0
  }

  /** A disk that is nearly full takes part of a write and says nothing. */
  async #writeAll(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.byteLength; ) {
      const written = await this.#writeSome(bytes.subarray(at))
      at += written
      this.#writtenBytes += written
    }
  }

  async #writeSome(bytes: Uint8Array): Promise<number> {
    const { file, path } = this.#created
    if (bytes.byteLength === BUFFER_BYTES) {
      this.#direct ??= openDirect(path)
      const direct = await this.#direct
      const written = direct && (await writeDirect(direct, bytes, this.#writtenBytes))
      if (written) return written
    }
    return (await file.write(bytes, 0, bytes.byteLength, this.#writtenBytes)).bytesWritten
  }
}
