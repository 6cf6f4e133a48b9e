import { ptr } from 'bun:ffi'

/** What a disk takes straight from memory begins and ends at a multiple of so many bytes, there and in the file. */
const BLOCK_BYTES = 4096
/** A multiple of a block, with room for the largest file that is written in one go and its trailer. */
export const BUFFER_BYTES = 2 * 1024 * 1024
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
