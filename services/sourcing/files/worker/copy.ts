import { type Attempt, type CopyData, JobFailure } from '../jobs/rules.ts'
import { MAX_FILE_BYTES, type ObjectInfo, type Storage } from '../storage/storage.ts'

/**
 * Copies an upload to a key that has no upload URL, then reads the copy. The etag ensures that the copied object is the
 * one that was added to the part.
 */
export async function copyUpload(
  { storage }: { storage: Storage },
  { sourceKey, sourceEtag }: CopyData,
  { key, signal }: Attempt,
): Promise<ObjectInfo> {
  const isCopied = await storage.copy(sourceKey, key, sourceEtag, signal)
  if (!isCopied) throw new JobFailure('source_changed', { isFinal: true })
  const info = await storage.inspect(key, signal)
  if (info.sizeBytes > MAX_FILE_BYTES) throw new JobFailure('too_large', { isFinal: true })
  return info
}
