import type { FileHandle } from 'node:fs/promises'
import { Digest } from '../digest.ts'
import { DamagedObject } from '../failures.ts'
import type { ObjectInfo, PutOptions } from '../storage.ts'

/** The file of an object contains its bytes and a trailer: the info as JSON, padded with spaces to this length. */
const TRAILER_BYTES = 512

/** Writes a stream and its trailer to a new file, and syncs them to the disk. */
export async function writeObject(
  file: FileHandle,
  bytes: AsyncIterable<Uint8Array>,
  { maxBytes, expectedBytes, signal, onProgress }: PutOptions,
): Promise<ObjectInfo> {
  const digest = new Digest(maxBytes)
  for await (const chunk of bytes) {
    signal.throwIfAborted()
    digest.update(chunk)
    await writeAll(file, chunk)
    onProgress?.(digest.sizeBytes)
  }
  const info = await digest.finish(expectedBytes)
  await writeAll(file, Buffer.from(JSON.stringify(info).padEnd(TRAILER_BYTES)))
  await file.datasync()
  return info
}

/** One write may be partial, for example on a disk that is almost full. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength; ) at += (await file.write(bytes, at)).bytesWritten
}

/** Reads the trailer. An object that was truncated or changed on the disk is a 503. */
export async function readInfo(file: FileHandle): Promise<ObjectInfo> {
  const sizeBytes = (await file.stat()).size - TRAILER_BYTES
  if (sizeBytes < 0) throw new DamagedObject()
  const { buffer } = await file.read(Buffer.alloc(TRAILER_BYTES), 0, TRAILER_BYTES, sizeBytes)
  const info = parsed(buffer.toString())
  if (info?.sizeBytes !== sizeBytes) throw new DamagedObject()
  return info
}

function parsed(text: string): ObjectInfo | undefined {
  try {
    return JSON.parse(text) as ObjectInfo
  } catch {
    return undefined
  }
}
