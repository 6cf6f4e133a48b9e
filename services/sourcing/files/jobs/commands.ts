import type { FileFailure } from '../../../../proto/http/sourcing/files.ts'
import type { Pool, Tx } from '../../../kit/db/client.ts'
import type { Job } from '../../../kit/worker/jobs.ts'
import { recordFilesChange } from '../commands.ts'
import { cancelDeletion, scheduleDeletionOfAttempts, scheduleDeletionOfUpload } from '../objects/queries.ts'
import { findStoredBytes, type RecordKey } from '../queries.ts'
import { isWithinQuota, type StorageQuota } from '../rules.ts'
import type { ObjectInfo } from '../storage/storage.ts'
import { listRecordsOfFile, lockFile, lockPartOfFile, markFailed, markReady, recordProgress } from './queries.ts'
import { type CopyData, type ImportData, JobFailure, type Progress } from './rules.ts'

export interface FinishDeps {
  sql: Pool
  now: () => string
  quota: StorageQuota
  /**
   * Locks the record of a document, and returns what tells its readers of a change; undefined where the record does not
   * exist. `service.ts` provides it.
   */
  lockRecord(tx: Tx, record: RecordKey): Promise<((now: string) => Promise<void>) | undefined>
}

type FileJob = Job<CopyData | ImportData, Progress>

/** Makes the file READY with this object; does nothing if the lease was lost or the file was removed. */
export function finishFile(deps: FinishDeps, job: FileJob, key: string, info: ObjectInfo): Promise<void> {
  const { sizeBytes } = info
  return endFile(deps, job, { receivedBytes: sizeBytes, totalBytes: sizeBytes }, async (tx) => {
    const [cancelled] = await cancelDeletion(tx, key)
    if (!cancelled) throw new Error('the deletion of the object has started')
    await markReady(tx, job.id, key, info)
    if ('encryptedUrl' in job.data) await failBeyondQuota(tx, deps.quota, job.tenantId)
  })
}

/** Makes the file FAILED; does nothing if the lease was lost or the file was removed. */
export const failFile = (deps: FinishDeps, job: FileJob, reason: FileFailure): Promise<void> =>
  endFile(deps, job, job.report, (tx) => markFailed(tx, job.id, reason))

/** Ends the job with the change of its file, and schedules the deletion of what the file does not need. */
function endFile(
  deps: FinishDeps,
  job: FileJob,
  progress: Progress | undefined,
  change: (tx: Tx) => PromiseLike<unknown>,
): Promise<void> {
  return job.settle(async (tx) => {
    const now = deps.now()
    await lockPartOfFile(tx, job.id)
    const tellReaders: ((now: string) => Promise<void>)[] = []
    for (const record of await listRecordsOfFile(tx, job.id)) {
      const tell = await deps.lockRecord(tx, record)
      if (tell) tellReaders.push(tell)
    }
    const [file] = await lockFile(tx, job.id)
    // The job of a removed file was deleted with the file.
    if (!file || !(await job.end(tx))) return
    // The change locks the organization's storage usage, which is locked after assignments and cases.
    for (const tell of tellReaders) await tell(now)
    await change(tx)
    if ('sourceKey' in job.data) await scheduleDeletionOfUpload(tx, job.data.sourceKey, now)
    await scheduleDeletionOfAttempts(tx, job.id, now)
    if (progress) await recordProgress(tx, job.id, progress)
    const { part_id: partId, org_id: orgId } = file
    if (partId !== null && file.is_current) await recordFilesChange(tx, { partId, orgId }, now)
  })
}

async function failBeyondQuota(tx: Tx, quota: StorageQuota, orgId: string): Promise<void> {
  const [usage] = await findStoredBytes(tx, orgId)
  if (!isWithinQuota(Number(usage?.stored_bytes ?? 0), quota)) throw new JobFailure('quota_reached', { isFinal: true })
}
