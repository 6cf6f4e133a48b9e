import type { File, listPartFiles } from '../../../proto/http/sourcing/files.ts'
import type { listPartRevisionFiles } from '../../../proto/http/sourcing/part-revisions.ts'
import { found } from '../../kit/errors/refusal.ts'
import type { CallerContext } from '../../kit/http/context.ts'
import { revisionOf } from '../parts/rules.ts'
import { renderedFieldsOf } from '../renderings/documents.ts'
import type { Pictures } from '../renderings/pictures.ts'
import { contentOf, downloadOf } from './download.ts'
import { type FileRow, findReadableFiles, findRevisionFiles, listFiles } from './queries.ts'
import { type ReadableFiles, visibleGroups } from './rules.ts'
import type { Storage } from './storage/storage.ts'

interface ListingDeps {
  storage: Storage
  /** The base of the URLs below `/files`. */
  publicUrl: string
  pictures: Pictures
}

/** The files of a part that the organization may see, newest first. */
export async function filesOf(
  deps: ListingDeps,
  { caller: { orgId }, params: { id }, now, read }: CallerContext<typeof listPartFiles>,
): Promise<{ items: File[] }> {
  const readable = found(await read((sql) => findReadableFiles(sql, orgId, id, now)))
  return readableFilesOf(deps, id, readable, { now, read })
}

/** The files of a pinned revision that the organization may see, newest first. */
export async function revisionFilesOf(
  deps: ListingDeps,
  { caller: { orgId }, params, now, read }: CallerContext<typeof listPartRevisionFiles>,
): Promise<{ items: File[] }> {
  const readable = found(await read((sql) => findRevisionFiles(sql, orgId, params.id, revisionOf(params), now)))
  return readableFilesOf(deps, params.id, readable, { now, read })
}

async function readableFilesOf(
  deps: ListingDeps,
  partId: string,
  readable: ReadableFiles,
  { now, read }: Pick<CallerContext<typeof listPartFiles>, 'now' | 'read'>,
): Promise<{ items: File[] }> {
  const rows = await read((sql) => listFiles(sql, partId, visibleGroups(readable.isOwner), readable))
  return { items: await Promise.all(rows.map((row) => fileOf(row, deps, now))) }
}

/** The public representation of a file. Only a READY file has size, type, hash and URL. */
async function fileOf(row: FileRow, { storage, publicUrl, pictures }: ListingDeps, now: string): Promise<File> {
  const { id, name, file_group: group, state, public: isPublic, created_at: createdTime } = row
  const file: File = { id, name, group, state, public: isPublic, createdTime }
  const content = contentOf(row)
  if (!content) return file
  const download = isPublic
    ? { downloadUrl: new URL(`/files/public/${id}`, publicUrl).href }
    : await downloadOf(row, storage, now)
  return { ...file, ...content, ...download, ...renderedFieldsOf(row.rendering, { pictures, now }) }
}
