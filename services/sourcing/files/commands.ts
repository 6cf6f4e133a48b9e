import type * as api from '../../../proto/http/sourcing/files.ts'
import type { UpdateFilesRequest } from '../../../proto/http/sourcing/files.ts'
import { noSuch } from '../../../proto/messages.ts'
import { FILE } from '../../../proto/states/files.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import type { CommandOf, PreparationOf } from '../../kit/command/command.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import { newIdAt } from '../../kit/db/ids.ts'
import { found, invalid, refuse } from '../../kit/errors/refusal.ts'
import { startJob } from '../../kit/worker/job-queries.ts'
import { findOwnPart } from '../parts/queries.ts'
import { COPY, JOB_LIMITS } from './jobs/rules.ts'
import { scheduleDeletionOfUpload } from './objects/queries.ts'
import {
  attachUploads,
  countFiles,
  countPending,
  findFileIds,
  findStoredBytes,
  findUploads,
  insertFile,
  lockOwnPart,
  type NewFile,
  removeFiles,
  touchPart,
  type UploadRow,
} from './queries.ts'
import { hasTooManyFiles, isWithinQuota, referenceProblems, type StorageQuota } from './rules.ts'
import { MAX_FILE_BYTES, type Storage, type StoredObject } from './storage/storage.ts'

export interface FileDeps {
  sql: Pool
  storage: Storage
  quota: StorageQuota
}

/** An upload to attach, and its object. */
interface Addition {
  upload: UploadRow
  object: StoredObject
  name: string
  group: NewFile['group']
}

interface FoundObjects {
  additions: Addition[]
}

/** Finds the objects of the uploads, because a transaction must not wait for the store. */
export async function findObjects(
  deps: FileDeps,
  { caller: { orgId }, params: { id: partId }, body, now }: PreparationOf<typeof api.updatePartFiles>,
): Promise<FoundObjects> {
  found(await findOwnPart(deps.sql, orgId, partId))
  return { additions: await additionsOf(deps, orgId, partId, body, now) }
}

/** Adds and removes files of an own part, all or nothing. */
export async function updateFiles(
  { quota }: FileDeps,
  {
    tx,
    caller: { orgId },
    params: { id: partId },
    body,
    additions,
    now,
  }: CommandOf<typeof api.updatePartFiles> & FoundObjects,
): Promise<undefined> {
  // Lock order of every change: the part, then its uploads, then the organization's storage usage.
  found(await lockOwnPart(tx, orgId, partId))
  const ids = additions.map(({ upload }) => upload.id)
  if ((await attachUploads(tx, orgId, ids, now)).length < ids.length) throw notOpen()
  await removeSent(tx, { orgId, partId, ids: body.remove ?? [] }, now)
  for (const addition of additions) await addFile(tx, { orgId, partId, addition, now })
  await requireWithinLimits(tx, quota, orgId, partId, additions.length)
  await recordFilesChange(tx, { partId, orgId }, now)
  return undefined
}

/** Validates the request and finds the object of each upload. */
async function additionsOf(
  { sql, storage }: FileDeps,
  orgId: string,
  partId: string,
  body: UpdateFilesRequest,
  now: string,
): Promise<Addition[]> {
  const { add = [], remove = [] } = body
  const rows =
    add.length === 0
      ? []
      : await findUploads(
          sql,
          orgId,
          add.map(({ uploadId }) => uploadId),
          now,
        )
  const uploads = new Map(rows.map((row) => [row.id, row]))
  const files = remove.length === 0 ? [] : await findFileIds(sql, orgId, partId, remove)
  const problems = referenceProblems(body, uploads, new Set(files.map(({ id }) => id)))
  if (problems.length > 0) throw invalid(problems)
  if (rows.some(({ state, expired }) => state !== 'OPEN' || expired)) throw notOpen()
  const objects = await Promise.all(add.map(({ uploadId }) => storage.find(uploadId)))
  return add.map(({ uploadId, group, name }, index) => {
    const upload = uploads.get(uploadId) as UploadRow
    const object = objects[index]
    if (!object) {
      throw refuse('conflict', {
        detail: 'An upload has not received its content yet.',
        errors: [{ field: `add.${index}.uploadId`, message: 'is not complete' }],
      })
    }
    return { upload, object, group, name: name ?? upload.name }
  })
}

const notOpen = () => refuse('conflict', { detail: 'An upload has already been attached or has expired.' })

async function addFile(
  tx: Tx,
  { orgId, partId, addition, now }: { orgId: string; partId: string; addition: Addition; now: string },
): Promise<void> {
  const { upload, object, name, group } = addition
  const tooLarge = object.sizeBytes > MAX_FILE_BYTES
  const info = tooLarge ? undefined : object.info
  const file: NewFile = {
    id: newIdAt('file', now),
    partId,
    orgId,
    name,
    group,
    public: upload.public,
    state: info ? FILE.verbs.finish.to : tooLarge ? FILE.verbs.fail.to : FILE.initial,
    reason: tooLarge ? 'too_large' : null,
    objectKey: info ? upload.id : null,
    info: info ?? null,
    countedBytes: tooLarge ? 0 : object.sizeBytes,
  }
  await insertFile(tx, file, now)
  if (tooLarge) await scheduleDeletionOfUpload(tx, upload.id, now)
  if (file.state !== FILE.initial) return
  const data = { sourceKey: upload.id, sourceEtag: object.etag }
  const expiresAt = new Date(Date.parse(now) + JOB_LIMITS.copyLifetimeMs).toISOString()
  await startJob(tx, { kind: COPY, id: file.id, tenantId: orgId, data, expiresAt }, now)
}

/** Removes files. The ids are validated again, because a concurrent request may have removed the files. */
async function removeSent(
  tx: Tx,
  { orgId, partId, ids }: { orgId: string; partId: string; ids: readonly string[] },
  now: string,
): Promise<void> {
  if (ids.length === 0) return
  const removed = new Set((await removeFiles(tx, { orgId, partId, ids }, now)).map(({ id }) => id))
  const problems = ids.flatMap((id, index) =>
    removed.has(id) ? [] : [{ field: `remove.${index}`, message: noSuch('file', id, 'of this part') }],
  )
  if (problems.length > 0) throw invalid(problems)
}

/** Throws 409 beyond a limit. It is checked after the change, so that a request may replace files at the limit. */
export async function requireWithinLimits(tx: Tx, quota: StorageQuota, orgId: string, partId: string, added: number) {
  if (added === 0) return
  const [{ files }] = await countFiles(tx, partId)
  if (hasTooManyFiles(files)) throw refuse('limit_reached', { detail: 'The part would have more than 200 files.' })
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

/** Updates the part and emits the event. A change of the files is a change of the part. */
export async function recordFilesChange(tx: Tx, part: { partId: string; orgId: string }, now: string): Promise<void> {
  const { partId, orgId } = part
  await touchPart(tx, partId, now)
  await emit(tx, {
    type: 'sourcing.part.filesChanged',
    tenantId: orgId,
    subject: partId,
    data: { partId, ipOwnerOrgId: orgId },
  })
}
