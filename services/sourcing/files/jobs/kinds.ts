import type { FileFailure } from '../../../../proto/http/sourcing/files.ts'
import type { Log } from '../../../kit/log/log.ts'
import type { JobKind } from '../../../kit/worker/jobs.ts'
import { scheduleDeletion } from '../objects/queries.ts'
import { IdleTimeout } from '../storage/idle-timeout.ts'
import { MAX_FILE_BYTES, type ObjectInfo, type Storage, TooLarge } from '../storage/storage.ts'
import { type FinishDeps, failFile, finishFile } from './commands.ts'
import { type FetchDeps, fetchImport } from './fetch.ts'
import {
  type Attempt,
  COPY,
  type CopyData,
  delayAfter,
  IMPORT,
  type ImportData,
  JOB_LIMITS,
  JobFailure,
  type Progress,
} from './rules.ts'

type FileJobDeps = FinishDeps & FetchDeps & { log: Log; maxImports: number }
type FileJobKind = JobKind<CopyData | ImportData, Progress>

/** The jobs that make PENDING files READY or FAILED: copies of uploads on S3, and imports. */
export function fileJobs(deps: FileJobDeps): FileJobKind[] {
  return [
    {
      kind: COPY,
      slots: JOB_LIMITS.maxCopies,
      ...common(deps, (data, attempt) => copyUpload(deps, data as CopyData, attempt)),
    },
    {
      kind: IMPORT,
      slots: deps.maxImports,
      maxAttempts: JOB_LIMITS.maxImportAttempts,
      ...common(deps, (data, attempt) => fetchImport(deps, data as ImportData, attempt)),
    },
  ]
}

/**
 * Copies an upload to a key that has no upload URL, then reads the copy. The etag ensures that the copied object is the
 * one that was added to the part.
 */
async function copyUpload(
  { storage }: { storage: Storage },
  { sourceKey, sourceEtag }: CopyData,
  { key, signal }: Attempt,
): Promise<ObjectInfo> {
  const isCopied = await storage.copy(sourceKey, key, sourceEtag, signal)
  if (!isCopied) throw new JobFailure('source_changed', { isFinal: true })
  const info = await storage.inspect(key, signal)
  if (info.sizeBytes > MAX_FILE_BYTES) throw new JobFailure('too_large', { isFinal: true })
  return info
}

type CreateObject = (data: CopyData | ImportData, attempt: Attempt) => Promise<ObjectInfo>

const common = (deps: FileJobDeps, createObject: CreateObject) =>
  ({
    tenantSlots: JOB_LIMITS.maxJobsPerTenant,
    pauseAfter: delayAfter,
    async run(job, signal) {
      const progress = { receivedBytes: 0, totalBytes: null }
      job.report = progress
      // Each attempt has its own key, because the worker of an expired lease may still be writing.
      const key = `${job.id}.${job.leaseToken.slice(0, 8)}`
      await scheduleDeletion(deps.sql, key, deps.now())
      await finishFile(deps, job, key, await createObject(job.data, { key, signal, progress }))
    },
    isFinal: (error) => failureOf(error).isFinal,
    async onFailure(job, error, isLast) {
      const { reason } = failureOf(error)
      if (!(error instanceof JobFailure))
        deps.log.warn({ err: error, file: job.id, reason }, 'a file job attempt failed')
      if (isLast) await failFile(deps, job, reason)
    },
  }) satisfies Partial<FileJobKind>

function failureOf(error: unknown): { reason: FileFailure; isFinal: boolean } {
  if (error instanceof JobFailure) return error
  if (error instanceof TooLarge) return { reason: 'too_large', isFinal: true }
  const isTimeout = error instanceof IdleTimeout || (error as { name?: unknown } | null)?.name === 'TimeoutError'
  return { reason: isTimeout ? 'timed_out' : 'unreachable', isFinal: false }
}
