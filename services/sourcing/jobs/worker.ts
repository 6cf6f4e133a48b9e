import type { FileFailure } from '../../../proto/http/sourcing/files.ts'
import type { Log } from '../../kit/log/log.ts'
import { WakeSignal } from '../../kit/worker/wake-signal.ts'
import type { Worker } from '../../kit/worker/worker.ts'
import { type Fetching, fetchInto } from '../imports/fetch.ts'
import { doomObject } from '../objects/queries.ts'
import { IdleTimeout } from '../storage/idle-timeout.ts'
import { TooLarge } from '../storage/storage.ts'
import { type FinishDeps, failFile, finishFile } from './commands.ts'
import { copyInto } from './copy.ts'
import { JobFailure } from './failure.ts'
import { claimJob, extendLease, findWaitingImport, type JobRow, type Progress, postponeJob } from './queries.ts'
import {
  delayAfter,
  type ImportShares,
  isOver,
  JOB_LIMITS,
  kindsWithRoom,
  type Load,
  slowestOf,
  wouldHaveRoom,
} from './rules.ts'

export type FileWorkerDeps = FinishDeps & Fetching & { log: Log; shares: ImportShares }

/** Makes PENDING files ready: copies what was uploaded to a store of others, and fetches what is to be imported. */
export class FileWorker implements Worker {
  readonly name = 'files'
  readonly #deps: FileWorkerDeps
  readonly #wake = new WakeSignal()
  /** Outlives a failure of `run`, which is then started again: what goes on takes its places still. */
  readonly #running = new Map<Promise<void>, Place>()

  constructor(deps: FileWorkerDeps) {
    this.#deps = deps
  }

  /** There is something to do. */
  wake = (): void => this.#wake.notify()

  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) await this.#next(signal)
    } finally {
      if (signal.aborted) await Promise.all(this.#running.keys())
    }
  }

  async #next(signal: AbortSignal): Promise<void> {
    const running = this.#running
    const kinds = kindsWithRoom(loadOf(running.values()), this.#deps.shares.maxImports)
    const [job] = kinds.length > 0 ? await claimJob(this.#deps.sql, crypto.randomUUID(), kinds) : []
    if (!job) {
      await this.#makeRoom([...running.values()])
      await this.#wake.wait(JOB_LIMITS.pollMs, signal)
      return
    }
    const place = newPlace(job.kind)
    const work: Promise<void> = this.#work(job, place, signal)
      .catch((err) => this.#deps.log.error({ err, file: job.file_id }, 'a file could not be worked on'))
      .finally(() => {
        running.delete(work)
        this.wake()
      })
    running.set(work, place)
  }

  /** Where imports have all the places and one more could begin, the slowest gives way and is tried again later. */
  async #makeRoom(places: readonly Place[]): Promise<void> {
    const { sql, shares } = this.#deps
    const isOnItsWay = places.some(({ leave }) => leave.signal.aborted)
    if (isOnItsWay || !wouldHaveRoom(loadOf(places), shares.maxImports)) return
    const nowMs = performance.now()
    const slowest = slowestOf(
      places.map((place) => ({ ...place, ...place.progress, heldMs: nowMs - place.sinceMs })),
      shares,
    )
    if (!slowest || (await findWaitingImport(sql)).length === 0) return
    slowest.leave.abort(new JobFailure('too_slow', { isFinal: false }))
  }

  async #work(job: JobRow, place: Place, stopping: AbortSignal): Promise<void> {
    const { sql, clock } = this.#deps
    const leftMs = Date.parse(job.deadline_at) - clock()
    if (isOver({ kind: job.kind, tries: job.attempts - 1, isFinal: false, leftMs })) {
      await failFile(this.#deps, job, 'timed_out')
      return
    }
    const lost = new AbortController()
    const { progress, leave } = place
    const signal = AbortSignal.any([stopping, lost.signal, leave.signal, AbortSignal.timeout(leftMs)])
    const pace = setInterval(this.#paceOf(place), JOB_LIMITS.paceMs)
    const report = setInterval(() => void this.#report(job, progress, lost), JOB_LIMITS.reportMs)
    // A key of this try's own: whoever tried before, and does not know yet that he is dead, writes elsewhere.
    const key = `${job.file_id}.${job.lease_token.slice(0, 8)}`
    try {
      await doomObject(sql, key, new Date(clock()).toISOString())
      const make = job.kind === 'copy' ? copyInto : fetchInto
      const info = await make(this.#deps, job, { key, signal, progress })
      await finishFile(this.#deps, job, key, info)
    } catch (error) {
      const cause = leave.signal.aborted ? leave.signal.reason : error
      await this.#afterFailure(job, cause, { stopping, lost: lost.signal, progress })
    } finally {
      clearInterval(pace)
      clearInterval(report)
    }
  }

  /** Finds out again and again whether the source is slow; as long as it is, there is room for somebody else. */
  #paceOf(place: Place): () => void {
    const { progress } = place
    let before = 0
    return () => {
      const wasSlow = place.isSlow
      place.isSlow = place.kind === 'import' && progress.receivedBytes - before < JOB_LIMITS.slowBelowBytes
      before = progress.receivedBytes
      if (place.isSlow && !wasSlow) this.wake()
    }
  }

  async #report(job: JobRow, progress: Progress, lost: AbortController): Promise<void> {
    try {
      const [still] = await extendLease(this.#deps.sql, job, progress)
      if (!still) lost.abort()
    } catch (err) {
      // The database may be back before the lease is over.
      this.#deps.log.warn({ err, file: job.file_id }, 'a lease could not be extended')
    }
  }

  async #afterFailure(job: JobRow, error: unknown, { stopping, lost, progress }: Surroundings): Promise<void> {
    const { sql, clock, log } = this.#deps
    if (lost.aborted) return
    if (stopping.aborted) {
      await postponeJob(sql, job, { delayMs: 0, counts: false })
      return
    }
    const { reason, isFinal } = judge(error)
    const delayMs = delayAfter(job.attempts)
    const leftMs = Date.parse(job.deadline_at) - clock() - delayMs
    if (!(error instanceof JobFailure)) log.warn({ err: error, file: job.file_id, reason }, 'a file is not ready yet')
    await extendLease(sql, job, progress)
    if (isOver({ kind: job.kind, tries: job.attempts, isFinal, leftMs })) await failFile(this.#deps, job, reason)
    else await postponeJob(sql, job, { delayMs, counts: true })
  }
}

/** What a job takes of the process. */
interface Place {
  kind: JobRow['kind']
  isSlow: boolean
  sinceMs: number
  progress: Progress
  /** Aborted when it has to give way. */
  leave: AbortController
}

const newPlace = (kind: JobRow['kind']): Place => ({
  kind,
  isSlow: false,
  sinceMs: performance.now(),
  progress: { receivedBytes: 0, totalBytes: null },
  leave: new AbortController(),
})

function loadOf(places: Iterable<Place>): Load {
  const load: Load = { copies: 0, busyImports: 0, slowImports: 0 }
  for (const { kind, isSlow } of places) load[kind === 'copy' ? 'copies' : isSlow ? 'slowImports' : 'busyImports']++
  return load
}

interface Surroundings {
  stopping: AbortSignal
  lost: AbortSignal
  progress: Progress
}

function judge(error: unknown): { reason: FileFailure; isFinal: boolean } {
  if (error instanceof JobFailure) return error
  if (error instanceof TooLarge) return { reason: 'too_large', isFinal: true }
  const isLate = error instanceof IdleTimeout || (error as { name?: unknown } | null)?.name === 'TimeoutError'
  if (isLate) return { reason: 'timed_out', isFinal: false }
  return { reason: 'unreachable', isFinal: false }
}
