import { ptr } from 'bun:ffi'

/** What a disk takes straight from memory begins and ends at a multiple of so many bytes, there and in the file. */
const BLOCK_BYTES = 4096
/** The largest file that is held in memory until all of it came. */
export const WHOLE_BYTES = 1024 * 1024
/** Blocks with room for such a file and its trailer; a larger one is written from two of these. */
export const BUFFER_BYTES = WHOLE_BYTES + BLOCK_BYTES
/** Buffers that are kept for the next ones; fresh memory costs as much as a copy. */
const MAX_SPARE_BUFFERS = 8
const spare: Buffer[] = []

export const takeBuffer = (): Buffer => spare.pop() ?? alignedBuffer()

/** Nobody reads it, nor writes to it, any more. */
export function giveBack(buffer: Buffer): void {
  if (spare.length < MAX_SPARE_BUFFERS) spare.push(buffer)
}

function alignedBuffer(): Buffer {
  const memory = Buffer.allocUnsafeSlow(BUFFER_BYTES + BLOCK_BYTES)
  const start = BLOCK_BYTES - (ptr(memory) % BLOCK_BYTES)
  return memory.subarray(start, start + BUFFER_BYTES)
}
