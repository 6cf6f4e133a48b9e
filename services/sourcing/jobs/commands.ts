import type { FileFailure } from '../../../proto/http/sourcing/files.ts'
import { emit } from '../../kit/bus/outbox/emit.ts'
import type { Pool, Tx } from '../../kit/db/client.ts'
import { findStoredBytes, touchPart } from '../files/queries.ts'
import { hasRoomFor, type StorageQuota } from '../files/rules.ts'
import { claimObject, doomTries, doomUpload } from '../objects/queries.ts'
import type { ObjectInfo } from '../storage/storage.ts'
import { JobFailure } from './failure.ts'
import { deleteJob, type JobRow, lockPartOfFile, markFailed, markReady, recordWhole } from './queries.ts'

export interface FinishDeps {
  sql: Pool
  clock: () => number
  quota: StorageQuota
}

/** The file is READY with this object; false where the job is another's by now, or the file gone. */
export function finishFile(
  { sql, clock, quota }: FinishDeps,
  job: JobRow,
  key: string,
  info: ObjectInfo,
): Promise<boolean> {
  const now = new Date(clock()).toISOString()
  return sql.begin(async (tx) => {
    const part = await endJob(tx, job, now)
    if (!part) return false
    const [claimed] = await claimObject(tx, key)
    if (!claimed) throw new Error('the object came too late')
    await doomTries(tx, job.file_id, now)
    await markReady(tx, job.file_id, key, info)
    if (job.kind === 'import') await demandStoredRoom(tx, quota, job.org_id)
    await recordWhole(tx, job.file_id, info.sizeBytes)
    await announce(tx, part, now)
    return true
  })
}

/** The file is FAILED, for this reason. */
export function failFile({ sql, clock }: FinishDeps, job: JobRow, reason: FileFailure): Promise<boolean> {
  const now = new Date(clock()).toISOString()
  return sql.begin(async (tx) => {
    const part = await endJob(tx, job, now)
    if (!part) return false
    await doomTries(tx, job.file_id, now)
    await markFailed(tx, job.file_id, reason)
    await announce(tx, part, now)
    return true
  })
}

interface PartOfFile {
  id: string
  ip_owner_org_id: string
}

/** What the tries and the upload of a file left is needed no more, whatever came of it. */
async function endJob(tx: Tx, job: JobRow, now: string): Promise<PartOfFile | undefined> {
  const [part] = await lockPartOfFile(tx, job.file_id)
  const [ended] = part ? await deleteJob(tx, job) : []
  if (!ended) return undefined
  if (job.source_key !== null) await doomUpload(tx, job.source_key, now)
  return part
}

/** Another state of a file is a change of its part. */
async function announce(tx: Tx, { id, ip_owner_org_id }: PartOfFile, now: string): Promise<void> {
  await touchPart(tx, id, now)
  await emit(tx, {
    type: 'sourcing.part.filesChanged',
    tenantId: ip_owner_org_id,
    subject: id,
    data: { partId: id, ipOwnerOrgId: ip_owner_org_id },
  })
}

async function demandStoredRoom(tx: Tx, quota: StorageQuota, orgId: string): Promise<void> {
  const [usage] = await findStoredBytes(tx, orgId)
  if (!hasRoomFor(Number(usage?.stored_bytes ?? 0), quota)) throw new JobFailure('quota_reached', { isFinal: true })
}
