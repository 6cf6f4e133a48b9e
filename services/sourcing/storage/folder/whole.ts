import { constants } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { Measure } from '../measure.ts'
import { CutShort, type Facts, type Incoming } from '../storage.ts'
import { giveBack, takeBuffer, WHOLE_BYTES } from './buffers.ts'
import { TRAILER_BYTES, trailerOf } from './trailer.ts'

/** What macOS writes with this flag may still be in the cache of its disk, which its fsync empties. */
const CAN_WRITE_THROUGH = process.platform === 'linux'
const NEW_AND_DURABLE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_DSYNC

/** Whether a stream is so short that its file is written in one go. */
export const isWhole = (expectedBytes: number | undefined): expectedBytes is number =>
  CAN_WRITE_THROUGH && expectedBytes !== undefined && expectedBytes <= WHOLE_BYTES

/** Takes in a stream that says how short it is, and hands it on as one piece, with what is known of it behind. */
export async function takeWhole(
  bytes: AsyncIterable<Uint8Array>,
  { maxBytes, expectedBytes, signal, onProgress }: Incoming & { expectedBytes: number },
  write: (contents: Uint8Array) => Promise<void>,
): Promise<Facts> {
  const measure = new Measure(maxBytes)
  const buffer = takeBuffer()
  try {
    for await (const chunk of bytes) {
      signal.throwIfAborted()
      const at = measure.sizeBytes
      measure.add(chunk)
      if (measure.sizeBytes > expectedBytes) throw new CutShort()
      buffer.set(chunk, at)
      onProgress?.(measure.sizeBytes)
    }
    measure.demand(expectedBytes)
    const facts = await measure.facts()
    buffer.set(trailerOf(facts), expectedBytes)
    await write(buffer.subarray(0, expectedBytes + TRAILER_BYTES))
    return facts
  } finally {
    giveBack(buffer)
  }
}

/**
 * Makes a file of these contents, which are on the disk when its one write returns, as after a write and an fdatasync.
 * It is opened, written and closed in one call: Bun has few threads to wait for disks, by default one for each core,
 * and every call of an upload waits for its turn behind what is written for others.
 */
export const writeDurably = (path: string, contents: Uint8Array): Promise<void> =>
  writeFile(path, contents, { flag: NEW_AND_DURABLE, mode: 0o600 })
