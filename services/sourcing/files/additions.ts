import { timeAfter } from '../../../proto/durations.ts'
import type { FieldError } from '../../../proto/errors.ts'
import { noSuch } from '../../../proto/messages.ts'
import { FILE } from '../../../proto/states/files.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { refuse, requireValid } from '../../kit/errors/refusal.ts'
import { startJob } from '../../kit/worker/job-queries.ts'
import { COPY, JOB_LIMITS } from './jobs/rules.ts'
import { scheduleDeletionOfUpload } from './objects/queries.ts'
import {
  attachUploads,
  countPending,
  type FilePlace,
  findStoredBytes,
  findUploads,
  insertFile,
  type NewFile,
  type UploadRow,
} from './queries.ts'
import { isWithinQuota, type StorageQuota } from './rules.ts'
import { MAX_FILE_BYTES, type Storage, type StoredObject } from './storage/storage.ts'

export interface FileDeps {
  sql: Pool
  storage: Storage
  quota: StorageQuota
}

/** What a request sends to add an upload. */
interface SentUpload {
  uploadId: string
  name?: string
}

/** An upload that a request names. It has no object until its content is received. */
export interface NamedUpload<Sent extends SentUpload> {
  sent: Sent
  upload: UploadRow
  object: StoredObject | undefined
}

/** An attached upload and its object. */
export interface Addition<Sent extends SentUpload> extends NamedUpload<Sent> {
  object: StoredObject
}

/** Finds the uploads of a request and their objects, because a transaction must not wait for the store. */
export async function findAdditions<Sent extends SentUpload>(
  { sql, storage }: Pick<FileDeps, 'sql' | 'storage'>,
  orgId: string,
  add: readonly Sent[],
  problemsOf: (uploads: ReadonlyMap<string, UploadRow>) => readonly FieldError[],
): Promise<NamedUpload<Sent>[]> {
  const ids = add.map(({ uploadId }) => uploadId)
  const rows = ids.length === 0 ? [] : await findUploads(sql, orgId, ids)
  const uploads = new Map(rows.map((row) => [row.id, row]))
  const unknown = add.flatMap(({ uploadId }, index) =>
    uploads.has(uploadId)
      ? []
      : [{ field: `add.${index}.uploadId`, message: noSuch('upload', uploadId, 'in your organization') }],
  )
  requireValid([...unknown, ...problemsOf(uploads)])
  const objects = await Promise.all(ids.map((id) => storage.find(id)))
  return add.map((sent, index) => ({
    sent,
    object: objects[index],
    upload: uploads.get(sent.uploadId) as UploadRow,
  }))
}

const notOpen = () => refuse('conflict', { detail: 'An upload has already been attached or has expired.' })

/** Attaches the uploads; throws 409 if one is attached already, has expired or is not complete. */
export async function attach<Sent extends SentUpload>(
  tx: Tx,
  orgId: string,
  named: readonly NamedUpload<Sent>[],
  now: string,
): Promise<Addition<Sent>[]> {
  const ids = named.map(({ upload }) => upload.id)
  if ((await attachUploads(tx, orgId, ids, now)).length < ids.length) throw notOpen()
  return named.map(({ object, ...addition }, index) => {
    if (!object) {
      throw refuse('conflict', {
        detail: 'An upload has not received its content yet.',
        errors: [{ field: `add.${index}.uploadId`, message: 'is not complete' }],
      })
    }
    return { ...addition, object }
  })
}

/** Inserts the file of an attached upload, and starts its copy if its bytes have not been read. Returns its id. */
export async function addFile(
  tx: Tx,
  { orgId, place, addition, now }: { orgId: string; place: FilePlace; addition: Addition<SentUpload>; now: string },
): Promise<string> {
  const { upload, object, sent } = addition
  const tooLarge = object.sizeBytes > MAX_FILE_BYTES
  const info = tooLarge ? undefined : object.info
  const file: NewFile = {
    id: newIdAt('file', now),
    place,
    orgId,
    name: sent.name ?? upload.name,
    public: upload.public,
    state: info ? FILE.verbs.finish.to : tooLarge ? FILE.verbs.fail.to : FILE.initial,
    reason: tooLarge ? 'too_large' : null,
    objectKey: info ? upload.id : null,
    info: info ?? null,
    countedBytes: tooLarge ? 0 : object.sizeBytes,
  }
  await insertFile(tx, file, now)
  if (tooLarge) await scheduleDeletionOfUpload(tx, upload.id, now)
  if (file.state !== FILE.initial) return file.id
  const data = { sourceKey: upload.id, sourceEtag: object.etag }
  const expiresAt = timeAfter(now, JOB_LIMITS.copyLifetimeMs)
  await startJob(tx, { kind: COPY, id: file.id, tenantId: orgId, data, expiresAt }, now)
  return file.id
}

/** Throws 409 if the organization has too many PENDING files or too many bytes. Comes after the change. */
export async function requireWithinQuota(tx: Tx, quota: StorageQuota, orgId: string): Promise<void> {
  const [pending] = await countPending(tx, orgId, quota.maxPendingFiles + 1)
  if (pending.files > quota.maxPendingFiles) {
    throw refuse('limit_reached', {
      detail: `Your organization has ${quota.maxPendingFiles} PENDING files. Add more when they are READY.`,
    })
  }
  const [usage] = await findStoredBytes(tx, orgId)
  if (!isWithinQuota(Number(usage?.stored_bytes ?? 0), quota)) {
    throw refuse('limit_reached', {
      detail: `The files of your organization would exceed ${quota.maxStoredBytes} bytes in total.`,
    })
  }
}
