import type { FileFailure } from '../../../../proto/http/sourcing/files.ts'
import { KeyedSemaphore } from '../../../kit/limits/keyed-semaphore.ts'
import type { Log } from '../../../kit/log/log.ts'
import { WakeSignal } from '../../../kit/worker/wake-signal.ts'
import type { Worker } from '../../../kit/worker/worker.ts'
import { type FetchDeps, fetchImport } from '../imports/fetch.ts'
import { claimJob, extendLease, findWaitingImport, type JobRow, postponeJob } from '../jobs/queries.ts'
import {
  delayAfter,
  type ImportLimits,
  isPreemptionUseful,
  JOB_KINDS,
  JOB_LIMITS,
  JobFailure,
  type JobKind,
  type Progress,
  shouldGiveUp,
  slowestOf,
  startableKinds,
} from '../jobs/rules.ts'
import { scheduleDeletion } from '../objects/queries.ts'
import { IdleTimeout } from '../storage/idle-timeout.ts'
import { TooLarge } from '../storage/storage.ts'
import { type FinishDeps, failFile, finishFile } from './commands.ts'
import { copyUpload } from './copy.ts'

type FileWorkerDeps = FinishDeps & FetchDeps & { log: Log; importLimits: ImportLimits }

interface RunningJob {
  kind: JobKind
  startedMs: number
  progress: Progress
  preempted: AbortController
  /** Releases the permit. Undefined while the import is slow, because a slow import holds none. */
  release: (() => void) | undefined
}

/** Makes PENDING files READY or FAILED: copies uploads on S3, and fetches imports. */
export class FileWorker implements Worker {
  readonly name = 'files'
  readonly #deps: FileWorkerDeps
  readonly #wake = new WakeSignal()
  /** The keys are the kinds of job. `claimJob` serves organizations round-robin on all replicas. */
  readonly permits = new KeyedSemaphore({
    what: 'file jobs',
    permits: JOB_LIMITS.permits,
    permitsPerKey: JOB_LIMITS.permitsPerKind,
  })
  /** Kept when `run` fails and is started again, because its jobs continue. */
  readonly #running = new Map<Promise<void>, RunningJob>()

  constructor(deps: FileWorkerDeps) {
    this.#deps = deps
  }

  /** Looks for jobs at once. */
  wake = (): void => this.#wake.notify()

  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) await this.#next(signal)
    } finally {
      if (signal.aborted) await Promise.all(this.#running.keys())
    }
  }

  async #next(signal: AbortSignal): Promise<void> {
    const kinds = startableKinds(this.#freeKinds(), this.#imports().length, this.#deps.importLimits)
    const [job] = kinds.length > 0 ? await claimJob(this.#deps.sql, crypto.randomUUID(), kinds) : []
    if (!job) {
      await this.#preemptSlowest()
      await this.#wake.wait(JOB_LIMITS.pollMs, signal)
      return
    }
    const running: RunningJob = {
      kind: job.kind,
      startedMs: performance.now(),
      progress: { receivedBytes: 0, totalBytes: null },
      preempted: new AbortController(),
      release: this.permits.acquire(job.kind),
    }
    const work: Promise<void> = this.#work(job, running, signal)
      .catch((err) => this.#deps.log.error({ err, file: job.file_id }, 'a file job failed unexpectedly'))
      .finally(() => {
        this.#running.delete(work)
        running.release?.()
        this.wake()
      })
    this.#running.set(work, running)
  }

  #freeKinds(): JobKind[] {
    return JOB_KINDS.filter((kind) => this.permits.canAcquire(kind))
  }

  #imports(): RunningJob[] {
    return [...this.#running.values()].filter(({ kind }) => kind === 'import')
  }

  /** With `maxImports` running and another import waiting, ends the slowest one, which is retried later. */
  async #preemptSlowest(): Promise<void> {
    const { sql, importLimits } = this.#deps
    const imports = this.#imports()
    if (imports.some(({ preempted }) => preempted.signal.aborted)) return
    if (!isPreemptionUseful(this.#freeKinds(), imports.length, importLimits)) return
    const nowMs = performance.now()
    const slow = imports
      .filter(({ release }) => release === undefined)
      .map((job) => ({ ...job, ageMs: nowMs - job.startedMs, receivedBytes: job.progress.receivedBytes }))
    const slowest = slowestOf(slow, importLimits.graceMs)
    if (!slowest || (await findWaitingImport(sql)).length === 0) return
    slowest.preempted.abort(new JobFailure('too_slow', { isFinal: false }))
  }

  async #work(job: JobRow, running: RunningJob, stopping: AbortSignal): Promise<void> {
    const { sql, now } = this.#deps
    const leftMs = Date.parse(job.deadline_at) - Date.parse(now())
    if (shouldGiveUp({ kind: job.kind, attempts: job.attempts - 1, isFinal: false, leftMs })) {
      await failFile(this.#deps, job, 'timed_out')
      return
    }
    const leaseLost = new AbortController()
    const { progress, preempted } = running
    const signal = AbortSignal.any([stopping, leaseLost.signal, preempted.signal, AbortSignal.timeout(leftMs)])
    const speedTimer =
      job.kind === 'import' ? setInterval(this.#speedMeter(running), JOB_LIMITS.speedIntervalMs) : undefined
    const reportTimer = setInterval(() => void this.#report(job, progress, leaseLost), JOB_LIMITS.reportMs)
    // Each attempt has its own key, because the worker of an expired lease may still be writing.
    const key = `${job.file_id}.${job.lease_token.slice(0, 8)}`
    try {
      await scheduleDeletion(sql, key, now())
      const createObject = job.kind === 'copy' ? copyUpload : fetchImport
      const info = await createObject(this.#deps, job, { key, signal, progress })
      await finishFile(this.#deps, job, key, info)
    } catch (error) {
      const cause = preempted.signal.aborted ? preempted.signal.reason : error
      await this.#afterFailure(job, cause, { stopping, leaseLost: leaseLost.signal, progress })
    } finally {
      clearInterval(speedTimer)
      clearInterval(reportTimer)
    }
  }

  /** Returns a function that measures the speed of an import. A slow import holds no permit until it is fast again. */
  #speedMeter(job: RunningJob): () => void {
    let before = 0
    return () => {
      const isSlow = job.progress.receivedBytes - before < JOB_LIMITS.slowBelowBytes
      before = job.progress.receivedBytes
      if (!isSlow) {
        if (this.permits.canAcquire(job.kind)) job.release ??= this.permits.acquire(job.kind)
      } else if (job.release) {
        job.release()
        job.release = undefined
        this.wake()
      }
    }
  }

  async #report(job: JobRow, progress: Progress, leaseLost: AbortController): Promise<void> {
    try {
      const [held] = await extendLease(this.#deps.sql, job, progress)
      if (!held) leaseLost.abort()
    } catch (err) {
      // The database may recover before the lease expires.
      this.#deps.log.warn({ err, file: job.file_id }, 'the lease of a file job could not be extended')
    }
  }

  async #afterFailure(job: JobRow, error: unknown, { stopping, leaseLost, progress }: AttemptState): Promise<void> {
    const { sql, now, log } = this.#deps
    if (leaseLost.aborted) return
    if (stopping.aborted) {
      await postponeJob(sql, job, { delayMs: 0, counts: false })
      return
    }
    const { reason, isFinal } = failureOf(error)
    const delayMs = delayAfter(job.attempts)
    const leftMs = Date.parse(job.deadline_at) - Date.parse(now()) - delayMs
    if (!(error instanceof JobFailure)) log.warn({ err: error, file: job.file_id, reason }, 'a file job attempt failed')
    await extendLease(sql, job, progress)
    if (shouldGiveUp({ kind: job.kind, attempts: job.attempts, isFinal, leftMs }))
      await failFile(this.#deps, job, reason)
    else await postponeJob(sql, job, { delayMs, counts: true })
  }
}

interface AttemptState {
  stopping: AbortSignal
  leaseLost: AbortSignal
  progress: Progress
}

function failureOf(error: unknown): { reason: FileFailure; isFinal: boolean } {
  if (error instanceof JobFailure) return error
  if (error instanceof TooLarge) return { reason: 'too_large', isFinal: true }
  const isTimeout = error instanceof IdleTimeout || (error as { name?: unknown } | null)?.name === 'TimeoutError'
  return { reason: isTimeout ? 'timed_out' : 'unreachable', isFinal: false }
}
