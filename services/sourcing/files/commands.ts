import type { UpdateFilesRequest } from '../../../proto/http/sourcing/files.ts'
import type { AuditContext } from '../../kit/audit/context.ts'
import { recordSuccess } from '../../kit/audit/record.ts'
import type { Caller } from '../../kit/auth/caller.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import { newId } from '../../kit/db/ids.ts'
import { found, invalid, refuse } from '../../kit/errors/refusal.ts'
import { insertCopyJob } from '../jobs/queries.ts'
import { doomUpload } from '../objects/queries.ts'
import { findOwnPart } from '../parts/queries.ts'
import { MAX_FILE_BYTES, type Storage, type StoredObject } from '../storage/storage.ts'
import {
  attachUploads,
  countFiles,
  countPending,
  deleteFiles,
  findFileIds,
  findStoredBytes,
  findUploads,
  insertFile,
  lockOwnPart,
  type NewFile,
  touchPart,
  type UploadRow,
} from './queries.ts'
import { hasRoomFor, isTooMany, referenceProblems, type StorageQuota } from './rules.ts'

export interface FileDeps {
  sql: Pool
  clock: () => number
  storage: Storage
  quota: StorageQuota
  /** Told when a file was left PENDING. */
  onPending: () => void
}

export interface UpdateFiles {
  caller: Caller
  partId: string
  body: UpdateFilesRequest
  audit: AuditContext
}

/** An upload that is to become a file, with what the store says of it. */
interface Addition {
  upload: UploadRow
  object: StoredObject
  name: string
  group: NewFile['group']
}

/** Adds and removes files of an own part: all of them, or none. */
export async function updateFiles(deps: FileDeps, { caller, partId, body, audit }: UpdateFiles): Promise<void> {
  const { sql, clock } = deps
  const now = new Date(clock()).toISOString()
  const { orgId } = caller
  found(await findOwnPart(sql, orgId, partId))
  const additions = await additionsOf(deps, orgId, partId, body, now)

  const pending = await sql.begin(async (tx) => {
    // First the part, then the uploads, and what counts the organization's bytes last: whoever holds it the other way
    // round waits for one who waits for him.
    found(await lockOwnPart(tx, orgId, partId))
    const ids = additions.map(({ upload }) => upload.id)
    if ((await attachUploads(tx, orgId, ids, now)).length < ids.length) throw notOpen()
    await removeFiles(tx, orgId, partId, body.remove ?? [])
    let left = 0
    for (const addition of additions) left += (await addFile(tx, { orgId, partId, addition, now })) ? 1 : 0
    await demandRoom(tx, deps.quota, orgId, partId, additions.length)
    await touchPart(tx, partId, now)
    await recordSuccess(tx, audit)
    await emit(tx, {
      type: 'sourcing.part.filesChanged',
      tenantId: orgId,
      subject: partId,
      data: { partId, ipOwnerOrgId: orgId },
    })
    return left
  })
  if (pending > 0) deps.onPending()
}

/** Everything that can be known before anything is held: the store is asked outside of the transaction. */
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
        detail: 'An upload has not got its bytes yet.',
        errors: [{ field: `add.${index}.uploadId`, message: 'is not complete' }],
      })
    }
    return { upload, object, group, name: name ?? upload.name }
  })
}

const notOpen = () => refuse('conflict', { detail: 'An upload was added already, or its 24 hours are over.' })

/** Answers whether something is left to do before the file is ready. */
async function addFile(
  tx: Tx,
  { orgId, partId, addition, now }: { orgId: string; partId: string; addition: Addition; now: string },
): Promise<boolean> {
  const { upload, object, name, group } = addition
  const tooLarge = object.sizeBytes > MAX_FILE_BYTES
  const info = tooLarge ? undefined : object.info
  const file: NewFile = {
    id: newId('file'),
    partId,
    orgId,
    name,
    group,
    public: upload.public,
    state: info ? 'READY' : tooLarge ? 'FAILED' : 'PENDING',
    reason: tooLarge ? 'too_large' : null,
    objectKey: info ? upload.id : null,
    info: info ?? null,
    countedBytes: tooLarge ? 0 : object.sizeBytes,
  }
  await insertFile(tx, file, now)
  if (tooLarge) await doomUpload(tx, upload.id, now)
  if (file.state !== 'PENDING') return false
  await insertCopyJob(tx, { fileId: file.id, sourceKey: upload.id, sourceEtag: object.etag }, now)
  return true
}

/** Files that somebody else has just removed are gone, and the request is as if it named nothing. */
async function removeFiles(tx: Tx, orgId: string, partId: string, ids: readonly string[]): Promise<void> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) return
  const removed = new Set((await deleteFiles(tx, orgId, partId, wanted)).map(({ id }) => id))
  const problems = ids.flatMap((id, index) =>
    removed.has(id) ? [] : [{ field: `remove.${index}`, message: 'names no file of this part' }],
  )
  if (problems.length > 0) throw invalid(problems)
}

/** After the change, so that removing and adding at once needs no room in between. */
export async function demandRoom(tx: Tx, quota: StorageQuota, orgId: string, partId: string, added: number) {
  if (added === 0) return
  const [{ files }] = await countFiles(tx, partId)
  if (isTooMany(files)) throw refuse('limit_reached', { detail: 'The part would have more than 200 files.' })
  const [pending] = await countPending(tx, orgId, quota.maxPendingFiles + 1)
  if (pending.files > quota.maxPendingFiles) {
    throw refuse('limit_reached', {
      detail: `${quota.maxPendingFiles} files of your organization are PENDING: add more when they are ready.`,
    })
  }
  const [usage] = await findStoredBytes(tx, orgId)
  if (!hasRoomFor(Number(usage?.stored_bytes ?? 0), quota)) {
    throw refuse('limit_reached', {
      detail: `The files of your organization may have ${quota.maxStoredBytes} bytes together.`,
    })
  }
}
