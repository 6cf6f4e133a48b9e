import type { FileHandle } from 'node:fs/promises'
import { StorageFailure } from '../failures.ts'
import type { Facts } from '../storage.ts'

/** What is known of an object stands behind its bytes, in so many bytes of JSON and spaces: one file is all of it. */
export const TRAILER_BYTES = 512

export function trailerOf(facts: Facts): Uint8Array {
  const text = JSON.stringify(facts)
  if (text.length > TRAILER_BYTES) throw new Error('a trailer is too long')
  return Buffer.from(text.padEnd(TRAILER_BYTES))
}

/** What is known of an object whose file that is. One that somebody cut or changed is the operator's to mend. */
export async function factsIn(file: FileHandle): Promise<Facts> {
  const { size } = await file.stat()
  const sizeBytes = size - TRAILER_BYTES
  if (sizeBytes < 0) throw damaged()
  const { buffer } = await file.read(Buffer.alloc(TRAILER_BYTES), 0, TRAILER_BYTES, sizeBytes)
  const facts = factsOf(buffer.toString())
  if (facts?.sizeBytes !== sizeBytes) throw damaged()
  return facts
}

function factsOf(text: string): Facts | undefined {
  try {
    return JSON.parse(text) as Facts
  } catch {
    return undefined
  }
}

const damaged = () => new StorageFailure('An object of the file store is damaged.')
