import type { FieldError } from '../../../proto/errors.ts'
import {
  FILE_GROUPS,
  type FileGroup,
  MAX_FILES_OF_A_PART,
  type UpdateFilesRequest,
} from '../../../proto/http/sourcing/files.ts'

/** How an organization stands to a part that it can read. */
export type Relation =
  /** Its IP owner. */
  | 'OWNER'
  /** Has a live order of it placed with a factory of its own. */
  | 'MAKER'
  /** Invited to an RFQ for it, or party to an order of it. */
  | 'PARTY'
  /** Anybody, once it is published and not internal. */
  | 'ANYONE'

const OPEN_GROUPS: readonly FileGroup[] = ['preview', 'document']

/** Who sees which files of a part. What the owner keeps to himself is not even counted for others. */
export function visibleGroups(relation: Relation): readonly FileGroup[] {
  if (relation === 'OWNER') return FILE_GROUPS
  if (relation === 'MAKER') return [...OPEN_GROUPS, 'ip']
  return OPEN_GROUPS
}

/** Whether a file of this group may have a permanent public URL. */
export const mayBePublic = (group: FileGroup) => OPEN_GROUPS.includes(group)

/** Problems that need no database: an empty request, or an upload named twice. */
export function requestProblems({ add = [], remove = [] }: UpdateFilesRequest): FieldError[] {
  if (add.length + remove.length === 0) return [{ field: 'body', message: 'must add or remove at least one file' }]
  const seen = new Set<string>()
  return add.flatMap(({ uploadId }, index) => {
    const repeated = seen.has(uploadId)
    seen.add(uploadId)
    return repeated ? [{ field: `add.${index}.uploadId`, message: 'is named a second time' }] : []
  })
}

export interface KnownUpload {
  id: string
  public: boolean
}

/** Unknown ids, and public uploads in groups that must not be public. */
export function referenceProblems(
  { add = [], remove = [] }: UpdateFilesRequest,
  uploads: ReadonlyMap<string, KnownUpload>,
  fileIds: ReadonlySet<string>,
): FieldError[] {
  return [
    ...add.flatMap(({ uploadId, group }, index): FieldError[] => {
      const upload = uploads.get(uploadId)
      if (!upload) return [{ field: `add.${index}.uploadId`, message: 'names no upload of your organization' }]
      if (!upload.public || mayBePublic(group)) return []
      return [{ field: `add.${index}.group`, message: 'must not be that of a public file' }]
    }),
    ...remove.flatMap((id, index) =>
      fileIds.has(id) ? [] : [{ field: `remove.${index}`, message: 'names no file of this part' }],
    ),
  ]
}

export interface StorageQuota {
  /** The total size of the files of one organization. */
  maxStoredBytes: number
  /** PENDING files of one organization, because a claim reads all of them. Concurrent requests may exceed it by one each. */
  maxPendingFiles: number
}

export const isWithinQuota = (storedBytes: number, { maxStoredBytes }: Pick<StorageQuota, 'maxStoredBytes'>) =>
  storedBytes <= maxStoredBytes

export const hasTooManyFiles = (files: number) => files > MAX_FILES_OF_A_PART

/** Short, because a download URL needs no token. */
export const DOWNLOAD_URL_MS = 10 * 60 * 1000
