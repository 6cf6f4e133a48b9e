import type { FileFailure } from '../../../../proto/http/sourcing/files.ts'
import type { Pool, Tx } from '../../../kit/db/client.ts'
import { recordFilesChange } from '../commands.ts'
import { deleteJob, type JobRow, lockPartOfFile, markFailed, markReady, recordComplete } from '../jobs/queries.ts'
import { JobFailure } from '../jobs/rules.ts'
import { cancelDeletion, scheduleDeletionOfAttempts, scheduleDeletionOfUpload } from '../objects/queries.ts'
import { findStoredBytes } from '../queries.ts'
import { isWithinQuota, type StorageQuota } from '../rules.ts'
import type { ObjectInfo } from '../storage/storage.ts'

export interface FinishDeps {
  sql: Pool
  now: () => string
  quota: StorageQuota
}

/** Makes the file READY with this object; does nothing if the lease was lost or the file was removed. */
export function finishFile(
  { sql, now: currentTime, quota }: FinishDeps,
  job: JobRow,
  key: string,
  info: ObjectInfo,
): Promise<void> {
  return sql.begin(async (tx) => {
    const now = currentTime()
    const part = await endJob(tx, job, now)
    if (!part) return
    const [cancelled] = await cancelDeletion(tx, key)
    if (!cancelled) throw new Error('the deletion of the object has started')
    await scheduleDeletionOfAttempts(tx, job.file_id, now)
    await markReady(tx, job.file_id, key, info)
    if (job.kind === 'import') await requireWithinQuota(tx, quota, job.org_id)
    await recordComplete(tx, job.file_id, info.sizeBytes)
    await recordFilesChange(tx, { partId: part.id, orgId: part.ip_owner_org_id }, now)
  })
}

/** Makes the file FAILED; does nothing if the lease was lost or the file was removed. */
export function failFile({ sql, now: currentTime }: FinishDeps, job: JobRow, reason: FileFailure): Promise<void> {
  return sql.begin(async (tx) => {
    const now = currentTime()
    const part = await endJob(tx, job, now)
    if (!part) return
    await scheduleDeletionOfAttempts(tx, job.file_id, now)
    await markFailed(tx, job.file_id, reason)
    await recordFilesChange(tx, { partId: part.id, orgId: part.ip_owner_org_id }, now)
  })
}

/** Deletes the job and schedules the deletion of its upload. Undefined without the lease or the file. */
async function endJob(tx: Tx, job: JobRow, now: string) {
  const [part] = await lockPartOfFile(tx, job.file_id)
  const [ended] = part ? await deleteJob(tx, job) : []
  if (!ended) return undefined
  if (job.source_key !== null) await scheduleDeletionOfUpload(tx, job.source_key, now)
  return part
}

async function requireWithinQuota(tx: Tx, quota: StorageQuota, orgId: string): Promise<void> {
  const [usage] = await findStoredBytes(tx, orgId)
  if (!isWithinQuota(Number(usage?.stored_bytes ?? 0), quota)) throw new JobFailure('quota_reached', { isFinal: true })
}
