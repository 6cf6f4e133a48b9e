import type { FileHandle } from 'node:fs/promises'
import { StorageFailure } from '../failures.ts'
import type { ObjectInfo } from '../storage.ts'

/** The trailer follows the bytes of an object: its info as JSON, padded with spaces to this length. */
export const TRAILER_BYTES = 512

export function trailerOf(info: ObjectInfo): Uint8Array {
  const text = JSON.stringify(info)
  if (text.length > TRAILER_BYTES) throw new Error('a trailer is too long')
  return Buffer.from(text.padEnd(TRAILER_BYTES))
}

/** Reads the trailer. An object that was truncated or changed on the disk is a 503. */
export async function readTrailer(file: FileHandle): Promise<ObjectInfo> {
  const { size } = await file.stat()
  const sizeBytes = size - TRAILER_BYTES
  if (sizeBytes < 0) throw damaged()
  const { buffer } = await file.read(Buffer.alloc(TRAILER_BYTES), 0, TRAILER_BYTES, sizeBytes)
  const info = parsed(buffer.toString())
  if (info?.sizeBytes !== sizeBytes) throw damaged()
  return info
}

function parsed(text: string): ObjectInfo | undefined {
  try {
    return JSON.parse(text) as ObjectInfo
  } catch {
    return undefined
  }
}

const damaged = () => new StorageFailure('An object of the file store is damaged.')
