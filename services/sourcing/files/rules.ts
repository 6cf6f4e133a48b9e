import { duplicateFinder, type FieldError } from '../../../proto/errors.ts'
import {
  FILE_GROUPS,
  type FileGroup,
  MAX_FILES_OF_A_PART,
  type UpdateFilesRequest,
} from '../../../proto/http/sourcing/files.ts'
import { noSuch } from '../../../proto/messages.ts'

/** The files of a part that an organization may read. */
export interface ReadableFiles {
  isOwner: boolean
  /** The files of the pinned revision that it reads; null for those of the part as it is now. */
  fileIds: string[] | null
  /** The files from which it may read the group `ip`: those of the revisions for which it is released. */
  ipFileIds: string[]
}

const OPEN_GROUPS: readonly FileGroup[] = ['preview', 'document']

/** The groups of files that an organization sees. Files of other groups are neither listed nor counted. */
export const visibleGroups = (isOwner: boolean): readonly FileGroup[] => (isOwner ? FILE_GROUPS : OPEN_GROUPS)

/** Whether a file of this group may have a permanent public URL. */
export const mayBePublic = (group: FileGroup) => OPEN_GROUPS.includes(group)

/** A change of the files of a record. */
export interface FilesChange {
  add?: readonly { uploadId: string }[]
  remove?: readonly string[]
}

/** Problems that need no database: an empty request, or an upload named twice. */
export function requestProblems({ add = [], remove = [] }: FilesChange): FieldError[] {
  if (add.length + remove.length === 0) return [{ field: 'body', message: 'must add or remove at least one file' }]
  const duplicate = duplicateFinder()
  return add.flatMap(({ uploadId }, index) => duplicate(`add.${index}.uploadId`, uploadId))
}

interface KnownUpload {
  id: string
  public: boolean
}

/** Unknown files, and public uploads in groups that do not allow public files. */
export function referenceProblems(
  { add = [], remove = [] }: UpdateFilesRequest,
  uploads: ReadonlyMap<string, KnownUpload>,
  fileIds: ReadonlySet<string>,
): FieldError[] {
  return [
    ...add.flatMap(({ uploadId, group }, index) =>
      !uploads.get(uploadId)?.public || mayBePublic(group)
        ? []
        : [{ field: `add.${index}.group`, message: 'does not allow public files' }],
    ),
    ...remove.flatMap((id, index) =>
      fileIds.has(id) ? [] : [{ field: `remove.${index}`, message: noSuch('file', id, 'of this part') }],
    ),
  ]
}

export interface StorageQuota {
  /** The total size of the files of one organization. */
  maxStoredBytes: number
  /** PENDING files of one organization, which are its waiting jobs. Each concurrent request may exceed it by one. */
  maxPendingFiles: number
}

export const isWithinQuota = (storedBytes: number, { maxStoredBytes }: Pick<StorageQuota, 'maxStoredBytes'>) =>
  storedBytes <= maxStoredBytes

export const hasTooManyFiles = (files: number) => files > MAX_FILES_OF_A_PART

/** Short, because a download URL needs no token. */
export const DOWNLOAD_URL_MS = 10 * 60 * 1000
