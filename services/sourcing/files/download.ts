import type { StoredFile } from './queries.ts'
import { DOWNLOAD_URL_MS } from './rules.ts'
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
  now: string,
): Promise<{ downloadUrl?: string; urlExpireTime?: string }> {
  if (key === null || contentType === null) return {}
  const expiresAt = new Date(Date.parse(now) + DOWNLOAD_URL_MS)
  const downloadUrl = await storage.downloadUrl(key, { name, contentType, expiresAt })
  return { downloadUrl, urlExpireTime: expiresAt.toISOString() }
}
