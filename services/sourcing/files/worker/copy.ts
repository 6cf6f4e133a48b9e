import type { JobRow } from '../jobs/queries.ts'
import { type Attempt, JobFailure } from '../jobs/rules.ts'
import { MAX_FILE_BYTES, type ObjectInfo, type Storage } from '../storage/storage.ts'

/**
 * Copies an upload to a key that has no upload URL, then reads the copy. The etag ensures that the copied object is the
 * one that was added to the part.
 */
export async function copyUpload(
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
