import { timeAt } from '../../../proto/durations.ts'
import type { Pool, Tx } from '../db/client.ts'
import { isDependencyFailure } from '../db/failures.ts'
import type { MessageLog } from '../log/log.ts'
import type { Concurrency } from '../metrics/concurrency.ts'
import { claimJob, continueJob, endJob, extendLease, holdJob, type JobRow, releaseJob } from './job-queries.ts'
import { WakeSignal } from './wake-signal.ts'
import { levelOf, type Worker } from './worker.ts'

/** A kind of job. A job is about one record and runs until it ends or has failed too often. */
export interface JobKind<Data = unknown, Progress = unknown> {
  kind: string
  /** Jobs that run at once in one process. */
  slots: number
  /** Jobs of one tenant that run at once, on all replicas together. Default: unlimited. */
  tenantSlots?: number
  /** Time after which the job of a crashed worker runs again. */
  leaseMs?: number
  /** Attempts without progress. Default: unlimited. */
  maxAttempts?: number
  /** The pause after a failed attempt. */
  pauseAfter(attempts: number): number
  /** Runs an attempt, or a bounded step of a mass update. It ends with `end` or `continue`, in a transaction. */
  run(job: Job<Data, Progress>, signal: AbortSignal): Promise<void>
  /** Whether a failure says nothing about the job, so that the attempt does not count. */
  isInterruption?(error: unknown): boolean
  /** Whether the job is not tried again. */
  isFinal?(error: unknown): boolean
  /** Records a failed attempt. After the last one it ends the job, which is the default, with a line of the log. */
  onFailure?(job: Job<Data, Progress>, error: unknown, isLast: boolean): Promise<void>
}

/** Counts the attempts that ended a job, are repeated, or were the last. */
export type ObserveJob = (kind: string, result: 'done' | 'retried' | 'failed') => void

interface JobDeps {
  sql: Pool
  clock: () => number
  log: MessageLog
  observe?: ObserveJob
  /** Interval at which due jobs are looked for, besides those that are announced. */
  sweepMs?: number
}

const LEASE_MS = 15_000
/** The interval at which a worker extends its leases, and with them stores what jobs report. */
const EXTEND_MS = 2_000
/** Finds jobs that have become due, and those of other replicas. */
const SWEEP_MS = 1_000
const RETRY_MS = 500
const NO_LIMIT = 2 ** 31 - 1

/** A job with a lease. What it does in a transaction shares the transaction with its end or its progress. */
export class Job<Data = unknown, Progress = unknown> {
  readonly id: string
  readonly tenantId: string
  readonly data: Data
  readonly attempts: number
  readonly leaseToken: string
  /** Stored while the job runs, for progress without effects in the database. */
  report: Progress | undefined
  /** The end of the lease on the clock of `performance.now()`. */
  leaseEndsMs: number
  isEnded = false
  readonly #sql: Pool
  readonly #row: JobRow
  readonly #clock: () => number

  constructor({ sql, clock }: Pick<JobDeps, 'sql' | 'clock'>, row: JobRow, leaseMs: number) {
    this.id = row.id
    this.tenantId = row.tenant_id
    this.data = row.data as Data
    this.attempts = row.attempts
    this.leaseToken = row.lease_token
    this.leaseEndsMs = performance.now() + leaseMs
    this.#sql = sql
    this.#row = row
    this.#clock = clock
  }

  /** Locks the job and returns its progress, which is empty at first. Undefined if the lease was lost. */
  async hold(tx: Tx): Promise<Partial<Progress> | undefined> {
    const [held] = await holdJob(tx, this.#row)
    return held?.progress as Partial<Progress> | undefined
  }

  /**
   * Stores the progress. The job is due again after some time; with infinity, when it is woken. A transaction with
   * other effects calls `hold` first, because this does not tell whether the lease was lost.
   */
  async continue(tx: Tx, progress: Progress | undefined, afterMs = 0): Promise<void> {
    const dueAt = afterMs === Number.POSITIVE_INFINITY ? 'infinity' : timeAt(this.#clock() + afterMs)
    await continueJob(tx, this.#row, progress, dueAt)
  }

  /** Ends the job. Returns whether the lease was still held; without it the transaction must change nothing. */
  async end(tx: Tx): Promise<boolean> {
    const [ended] = await endJob(tx, this.#row)
    this.isEnded = ended !== undefined
    return this.isEnded
  }

  /** Runs a transaction, again while Postgres is unavailable, because a result that is not recorded is repeated. */
  async settle<Answer>(work: (tx: Tx) => Promise<Answer>): Promise<Answer> {
    for (;;) {
      try {
        return (await this.#sql.begin(work)) as Answer
      } catch (error) {
        if (!isDependencyFailure(error) || performance.now() > this.leaseEndsMs) throw error
        await Bun.sleep(RETRY_MS)
      }
    }
  }
}

/** Runs the due jobs of some kinds. Every replica runs one; a job is leased by one of them. */
export class JobWorker implements Worker {
  readonly name: string
  readonly claims = true
  readonly #deps: JobDeps
  readonly #kinds: readonly JobKind[]
  readonly #wake = new WakeSignal()
  /** Kept when `run` fails and is started again, because the jobs continue. */
  readonly #running = new Map<Promise<void>, JobKind>()

  constructor(name: string, deps: JobDeps, kinds: readonly JobKind[]) {
    this.name = name
    this.#deps = deps
    this.#kinds = kinds
  }

  /** Looks for jobs at once. */
  wake = (): void => this.#wake.notify()

  /** For metrics. */
  get concurrency(): Concurrency {
    const permits = this.#kinds.reduce((sum, { slots }) => sum + slots, 0)
    return { work: this.name, permits, held: this.#running.size, waiting: 0 }
  }

  async run(signal: AbortSignal, closing = signal): Promise<void> {
    const { sweepMs = SWEEP_MS } = this.#deps
    try {
      while (!closing.aborted) {
        if (!(await this.#startNext(signal))) await this.#wake.wait(sweepMs, closing)
      }
    } finally {
      if (closing.aborted) await Promise.all(this.#running.keys())
    }
  }

  async #startNext(stopping: AbortSignal): Promise<boolean> {
    const { sql, clock, log } = this.#deps
    const running = [...this.#running.values()]
    const free = this.#kinds.filter((kind) => running.filter((one) => one === kind).length < kind.slots)
    if (free.length === 0) return false
    const limits = free.map(({ kind, tenantSlots = NO_LIMIT, leaseMs = LEASE_MS }) => ({ kind, tenantSlots, leaseMs }))
    const [row] = await claimJob(sql, crypto.randomUUID(), limits, timeAt(clock()))
    const kind = free.find((one) => one.kind === row?.kind)
    if (!row || !kind) return false
    const work: Promise<void> = this.#attempt(kind, row, stopping)
      .catch((err) => log[levelOf(err)]({ err, kind: row.kind, id: row.id }, 'the result of a job was not recorded'))
      .finally(() => {
        this.#running.delete(work)
        this.wake()
      })
    this.#running.set(work, kind)
    return true
  }

  async #attempt(kind: JobKind, row: JobRow, stopping: AbortSignal): Promise<void> {
    const { clock, observe } = this.#deps
    const { leaseMs = LEASE_MS, maxAttempts = NO_LIMIT } = kind
    const job = new Job(this.#deps, row, leaseMs)
    const lost = new AbortController()
    const timer = setInterval(() => void this.#extend(kind, row, job, lost), EXTEND_MS)
    const leftMs = row.expires_at === null ? undefined : Date.parse(row.expires_at) - clock()
    try {
      if ((leftMs ?? 1) <= 0 || row.attempts > maxAttempts) throw new DOMException('no attempt is left', 'TimeoutError')
      const expiry = leftMs === undefined ? [] : [AbortSignal.timeout(leftMs)]
      await kind.run(job, AbortSignal.any([stopping, lost.signal, ...expiry]))
      if (job.isEnded) observe?.(kind.kind, 'done')
    } catch (error) {
      if (!lost.signal.aborted) await this.#afterFailure(kind, row, job, { error, isStopped: stopping.aborted })
    } finally {
      clearInterval(timer)
    }
  }

  async #extend({ leaseMs = LEASE_MS }: JobKind, row: JobRow, job: Job, lost: AbortController): Promise<void> {
    try {
      const [held] = await extendLease(this.#deps.sql, row, leaseMs, job.report)
      if (held) job.leaseEndsMs = performance.now() + leaseMs
      else lost.abort()
    } catch (err) {
      // The database may recover before the lease ends.
      this.#deps.log.warn({ err, kind: row.kind, id: row.id }, 'the lease of a job could not be extended')
    }
  }

  async #afterFailure(
    kind: JobKind,
    row: JobRow,
    job: Job,
    { error, isStopped }: { error: unknown; isStopped: boolean },
  ): Promise<void> {
    const { clock, log, observe } = this.#deps
    const release = (dueMs: number, counts: boolean) =>
      job.settle((tx) => releaseJob(tx, row, { dueAt: timeAt(dueMs), counts, progress: job.report }))
    if (isStopped) return void (await release(clock(), false))
    const dueMs = clock() + kind.pauseAfter(row.attempts)
    const isExpired = row.expires_at !== null && dueMs >= Date.parse(row.expires_at)
    const counts = !kind.isInterruption?.(error)
    const isTooOften = counts && row.attempts >= (kind.maxAttempts ?? NO_LIMIT)
    const isLast = isExpired || isTooOften || (kind.isFinal?.(error) ?? false)
    if (kind.onFailure) await kind.onFailure(job, error, isLast)
    else {
      log[levelOf(error)]({ err: error, kind: row.kind, id: row.id, isLast }, 'a job failed')
      if (isLast) await job.settle((tx) => job.end(tx))
    }
    observe?.(kind.kind, isLast ? 'failed' : 'retried')
    if (!isLast) await release(dueMs, counts)
  }
}
