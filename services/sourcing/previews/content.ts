import type { Sql } from '../../kit/db/client.ts'
import { found, notFound, refuse } from '../../kit/errors/refusal.ts'
import { Raw, type RawBody } from '../../kit/http/raw.ts'
import type { FolderStorage } from '../files/storage/folder/store.ts'
import type { Storage } from '../files/storage/storage.ts'
import type { PreviewUrls } from '../renderings/urls.ts'
import { findPreview } from './queries.ts'

export interface PreviewDeps {
  sql: Sql
  storage: Storage
  /** The same store if it is the folder driver. */
  folder: FolderStorage | undefined
  urls: PreviewUrls
}

interface SignedPreview {
  key: string
  expires: number
  signature: string
}

/** The bytes behind the signed URL of a preview, to be shown by a browser. */
export async function previewContent(
  { sql, storage, folder, urls }: PreviewDeps,
  { signal }: Request,
  preview: SignedPreview,
  now: string,
): Promise<Raw> {
  if (!urls.allows(preview, now)) {
    throw refuse('forbidden', { detail: 'The URL has expired or its signature is not valid.' })
  }
  const { content_type: contentType } = found(await findPreview(sql, preview.key))
  const body = await bodyOf({ storage, folder }, preview.key, signal)
  return new Raw(body, contentType, {
    'cache-control': 'private, max-age=300, immutable',
    'content-disposition': 'inline',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
  })
}

/**
 * The bytes: of a folder as the client reads them, of S3 as a whole, which is at most 3 MB. The object may have been
 * deleted since the query.
 */
async function bodyOf(
  { storage, folder }: Pick<PreviewDeps, 'storage' | 'folder'>,
  key: string,
  signal: AbortSignal,
): Promise<RawBody> {
  if (folder) {
    const info = await folder.infoOf(key)
    if (!info) throw notFound()
    return folder.content(key, info.sizeBytes)
  }
  if (!(await storage.find(key))) throw notFound()
  return Buffer.concat(await Array.fromAsync(storage.read(key, signal)))
}
