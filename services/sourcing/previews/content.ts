import type { Sql } from '../../kit/db/client.ts'
import { found, refuse } from '../../kit/errors/refusal.ts'
import { Raw } from '../../kit/http/raw.ts'
import type { Storage } from '../files/storage/storage.ts'
import type { PreviewUrls } from '../renderings/urls.ts'
import { findPreview } from './queries.ts'

export interface PreviewDeps {
  sql: Sql
  storage: Storage
  urls: PreviewUrls
}

interface SignedPreview {
  key: string
  expires: number
  signature: string
}

/** The bytes behind the signed URL of a preview, to be shown by a browser. */
export async function previewContent(
  { sql, storage, urls }: PreviewDeps,
  { signal }: Request,
  preview: SignedPreview,
  now: string,
): Promise<Raw> {
  if (!urls.allows(preview, now)) {
    throw refuse('forbidden', { detail: 'The URL has expired or its signature is not valid.' })
  }
  const { content_type: contentType } = found(await findPreview(sql, preview.key))
  const chunks = await Array.fromAsync(storage.read(preview.key, signal))
  return new Raw(Buffer.concat(chunks), contentType, {
    'cache-control': 'private, max-age=300, immutable',
    'content-disposition': 'inline',
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
  })
}
