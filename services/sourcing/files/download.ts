import type { StoredFile } from './queries.ts'
import type { Storage } from './storage/storage.ts'

/** What the bytes of a READY file are; undefined for another one. */
export function contentOf({ size_bytes: size, content_type: contentType, sha256 }: StoredFile) {
  if (size === null || contentType === null || sha256 === null) return undefined
  return { size: Number(size), contentType, sha256 }
}

/** The signed URL of a READY file. */
export async function downloadOf(
  { name, object_key: key, content_type: contentType }: StoredFile,
  storage: Storage,
  expiresAt: Date,
): Promise<{ downloadUrl?: string; urlExpireTime?: string }> {
  if (key === null || contentType === null) return {}
  const downloadUrl = await storage.downloadUrl(key, { name, contentType, expiresAt })
  return { downloadUrl, urlExpireTime: expiresAt.toISOString() }
}
