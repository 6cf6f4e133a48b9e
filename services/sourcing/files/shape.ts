import type { File } from '../../../proto/http/sourcing/files.ts'
import type { Storage } from '../storage/storage.ts'
import type { FileRow } from './queries.ts'
import { DOWNLOAD_URL_MS } from './rules.ts'

export interface Addresses {
  storage: Storage
  /** Where clients reach `/files`. */
  publicUrl: string
}

/** A file as the API shows it. What its bytes are is told when they are ready. */
export async function fileOf(row: FileRow, { storage, publicUrl }: Addresses, nowMs: number): Promise<File> {
  const { id, name, file_group: group, state, public: isPublic, created_at: createdTime } = row
  const file: File = { id, name, group, state, public: isPublic, createdTime }
  const { object_key: key, size_bytes: size, content_type: contentType, sha256 } = row
  if (key === null || size === null || contentType === null || sha256 === null) return file
  const known = { ...file, size: Number(size), contentType, sha256 }
  if (isPublic) return { ...known, downloadUrl: new URL(`/files/public/${id}`, publicUrl).href }
  const expiresAt = new Date(nowMs + DOWNLOAD_URL_MS)
  const downloadUrl = await storage.downloadUrl(key, { name, contentType, expiresAt })
  return { ...known, downloadUrl, urlExpireTime: expiresAt.toISOString() }
}
