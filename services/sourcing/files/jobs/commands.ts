import type { FileFailure } from '../../../../proto/http/sourcing/files.ts'
import type { Pool, Tx } from '../../../kit/db/client.ts'
import type { Job } from '../../../kit/worker/jobs.ts'
import { recordFilesChange } from '../commands.ts'
import { cancelDeletion, scheduleDeletionOfAttempts, scheduleDeletionOfUpload } from '../objects/queries.ts'
import { findStoredBytes } from '../queries.ts'
import { isWithinQuota, type StorageQuota } from '../rules.ts'
import type { ObjectInfo } from '../storage/storage.ts'
import { lockFile, lockPartOfFile, markFailed, markReady, recordProgress } from './queries.ts'
import { type CopyData, type ImportData, JobFailure, type Progress } from './rules.ts'

export interface FinishDeps {
  sql: Pool
  now: () => string
  quota: StorageQuota
}

type FileJob = Job<CopyData | ImportData, Progress>

/** Makes the file READY with this object; does nothing if the lease was lost or the file was removed. */
export function finishFile({ now, quota }: FinishDeps, job: FileJob, key: string, info: ObjectInfo): Promise<void> {
  const { sizeBytes } = info
  return endFile(job, { receivedBytes: sizeBytes, totalBytes: sizeBytes }, now, async (tx) => {
    const [cancelled] = await cancelDeletion(tx, key)
    if (!cancelled) throw new Error('the deletion of the object has started')
    await markReady(tx, job.id, key, info)
    if ('encryptedUrl' in job.data) await requireWithinQuota(tx, quota, job.tenantId)
  })
}

/** Makes the file FAILED; does nothing if the lease was lost or the file was removed. */
export const failFile = ({ now }: FinishDeps, job: FileJob, reason: FileFailure): Promise<void> =>
  endFile(job, job.report, now, (tx) => markFailed(tx, job.id, reason))

/** Ends the job with the change of its file, and schedules the deletion of what the file does not need. */
function endFile(
  job: FileJob,
  progress: Progress | undefined,
  currentTime: () => string,
  change: (tx: Tx) => PromiseLike<unknown>,
): Promise<void> {
  return job.settle(async (tx) => {
    const now = currentTime()
    await lockPartOfFile(tx, job.id)
    const [file] = await lockFile(tx, job.id)
    if (!file || !(await job.end(tx))) return
    await change(tx)
    if ('sourceKey' in job.data) await scheduleDeletionOfUpload(tx, job.data.sourceKey, now)
    await scheduleDeletionOfAttempts(tx, job.id, now)
    if (progress) await recordProgress(tx, job.id, progress)
    if (file.is_current) await recordFilesChange(tx, { partId: file.part_id, orgId: file.org_id }, now)
  })
}

async function requireWithinQuota(tx: Tx, quota: StorageQuota, orgId: string): Promise<void> {
  const [usage] = await findStoredBytes(tx, orgId)
  if (!isWithinQuota(Number(usage?.stored_bytes ?? 0), quota)) throw new JobFailure('quota_reached', { isFinal: true })
}
