import { MAX_FILE_BYTES, type ObjectInfo, type Storage } from '../storage/storage.ts'
import { JobFailure } from './failure.ts'
import type { JobRow, Progress } from './queries.ts'

export interface Attempt {
  /** Where the bytes are to be. */
  key: string
  signal: AbortSignal
  progress: Progress
}

/**
 * Copies an upload to a key that no address ever named, then reads it once. Only the object that was added is copied:
 * what was put in its place since is not what anybody saw.
 */
export async function copyInto(
  { storage }: { storage: Storage },
  { source_key, source_etag }: JobRow,
  { key, signal }: Attempt,
): Promise<ObjectInfo> {
  if (source_key === null || source_etag === null) throw new Error('a copy without a source')
  const isCopied = await storage.copy(source_key, key, source_etag, signal)
  if (!isCopied) throw new JobFailure('source_changed', { isFinal: true })
  const info = await storage.inspect(key, signal)
  if (info.sizeBytes > MAX_FILE_BYTES) throw new JobFailure('too_large', { isFinal: true })
  return info
}
