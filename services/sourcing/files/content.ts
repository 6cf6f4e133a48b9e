import type { Sql } from '../../kit/db/client.ts'
import { found, notFound, refuse } from '../../kit/errors/refusal.ts'
import { isTagListed } from '../../kit/http/entity-tags.ts'
import { Raw } from '../../kit/http/raw.ts'
import { findPublicFile } from './queries.ts'
import { DOWNLOAD_URL_MS } from './rules.ts'
import { attachment } from './storage/content-disposition.ts'
import type { FolderStorage } from './storage/folder/store.ts'
import type { Storage } from './storage/storage.ts'

export interface ContentDeps {
  sql: Sql
  storage: Storage
  /** The same store if it is the folder driver, whose bytes this service sends. */
  folder: FolderStorage | undefined
}

interface SignedDownload {
  request: Request
  key: string
  expires: number
  signature: string
  name: string
  type: string
}

/** The bytes behind a signed download URL of the folder store. */
export async function signedContent(
  { folder }: ContentDeps,
  { request, key, expires, signature, name, type }: SignedDownload,
): Promise<Raw> {
  if (!folder) throw notFound()
  if (!folder.allows({ method: 'GET', key, expires, name, type }, signature)) {
    throw refuse('forbidden', { detail: 'The download URL has expired or its signature is not valid.' })
  }
  const info = await folder.infoOf(key)
  if (!info) throw notFound()
  return fileResponse(request, folder.content(key, info.sizeBytes), { ...info, name, type }, 'private, no-cache')
}

/** A public file: its bytes from the folder store, or a redirect to S3. */
export async function publicContent(deps: ContentDeps, request: Request, id: string, now: string): Promise<Raw> {
  const { sql, storage, folder } = deps
  const { name, object_key: key, content_type: type } = found(await findPublicFile(sql, id))
  if (folder) {
    // The file may have been removed since the query.
    const info = await folder.infoOf(key)
    if (!info) throw notFound()
    return fileResponse(request, folder.content(key, info.sizeBytes), { ...info, name, type }, 'public, max-age=60')
  }
  const expiresAt = new Date(Date.parse(now) + DOWNLOAD_URL_MS)
  const location = await storage.downloadUrl(key, { name, contentType: type, expiresAt })
  return new Raw(null, 'text/plain', { location, 'cache-control': 'no-store' }, 302)
}

interface FileInfo {
  name: string
  type: string
  sizeBytes: number
  sha256: string
}

/** The response with a file or a range of it, as an attachment that browsers do not display. */
function fileResponse(
  { method, headers: requestHeaders }: Request,
  content: Blob,
  file: FileInfo,
  cacheControl: string,
): Raw {
  const { name, type, sizeBytes, sha256 } = file
  const etag = `"${sha256}"`
  const headers = {
    etag,
    'accept-ranges': 'bytes',
    'cache-control': cacheControl,
    'content-disposition': attachment(name),
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
  }
  if (isTagListed(requestHeaders.get('if-none-match'), etag)) return new Raw(null, type, headers, 304)
  const condition = requestHeaders.get('if-range')
  const acceptsRange = method === 'GET' && (condition === null || condition === etag)
  const range = acceptsRange ? rangeOf(requestHeaders.get('range'), sizeBytes) : undefined
  if (range === 'unsatisfiable') {
    throw refuse('range_not_satisfiable', { headers: { 'content-range': `bytes */${sizeBytes}` } })
  }
  if (!range) return new Raw(content, type, { ...headers, 'content-length': String(sizeBytes) })
  const { start, end } = range
  const rangeHeaders = {
    'content-range': `bytes ${start}-${end}/${sizeBytes}`,
    'content-length': String(end + 1 - start),
  }
  return new Raw(content.slice(start, end + 1), type, { ...headers, ...rangeHeaders }, 206)
}

interface ByteRange {
  /** First byte. */
  start: number
  /** Last byte, included. */
  end: number
}

/** Accepts every spelling that Bun accepts, because Bun itself answers a range that is left unhandled. */
const RANGE = /^\s*bytes\s*=\s*((?:0*\d{1,15})?)\s*-\s*((?:0*\d{1,15})?)\s*$/i

/**
 * The single range that a `Range` field requests. Undefined means the whole content: no range, several ranges, or
 * another unit. `unsatisfiable` means that it begins after the end.
 */
function rangeOf(header: string | null, sizeBytes: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = RANGE.exec(header ?? '') ?? []
  if (from === '' && to === '') return undefined
  if (from === '') {
    const length = Math.min(Number(to), sizeBytes)
    return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes - 1 }
  }
  const start = Number(from)
  if (to !== '' && Number(to) < start) return undefined
  if (start >= sizeBytes) return 'unsatisfiable'
  return { start, end: to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1) }
}
