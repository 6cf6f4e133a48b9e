import { TRAILER_BYTES } from './trailer.ts'

/** The largest file that is held in memory until all of it came. */
export const WHOLE_BYTES = 1024 * 1024
export const BUFFER_BYTES = WHOLE_BYTES + TRAILER_BYTES
/** Buffers that are kept for the next ones; fresh memory costs as much as a copy. */
const MAX_SPARE_BUFFERS = 8
const spare: Buffer[] = []

export const takeBuffer = (): Buffer => spare.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES)

/** Nobody reads it, nor writes to it, any more. */
export function giveBack(buffer: Buffer): void {
  if (spare.length < MAX_SPARE_BUFFERS) spare.push(buffer)
}
