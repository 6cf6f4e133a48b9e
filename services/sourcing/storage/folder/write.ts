import type { FileHandle } from 'node:fs/promises'
import { Digest } from '../digest.ts'
import type { ObjectInfo, PutOptions } from '../storage.ts'
import { trailerOf } from './trailer.ts'

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
  await writeAll(file, trailerOf(info))
  await file.datasync()
  return info
}

/** One write may be partial, for example on a disk that is almost full. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength; ) at += (await file.write(bytes, at)).bytesWritten
}
