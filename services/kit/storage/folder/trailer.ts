import type { FileHandle } from 'node:fs/promises'
import type { Facts } from '../storage.ts'

/** What is known of an object stands behind its bytes, in so many bytes of JSON and spaces: one file is all of it. */
export const TRAILER_BYTES = 512

export function trailerOf(facts: Facts): Uint8Array {
  const text = JSON.stringify(facts)
  if (text.length > TRAILER_BYTES) throw new Error('a trailer is too long')
  return Buffer.from(text.padEnd(TRAILER_BYTES))
}

/** What is known of an object whose file that is. */
export async function factsIn(file: FileHandle): Promise<Facts> {
  const { size } = await file.stat()
  const { buffer } = await file.read(Buffer.alloc(TRAILER_BYTES), 0, TRAILER_BYTES, size - TRAILER_BYTES)
  return JSON.parse(buffer.toString())
}
