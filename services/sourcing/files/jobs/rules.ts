import type { FileFailure } from '../../../../proto/http/sourcing/files.ts'

export const JOB_KINDS = ['copy', 'import'] as const
export type JobKind = (typeof JOB_KINDS)[number]

export const JOB_LIMITS = {
  /** Concurrent jobs of one process, apart from imports from slow sources. */
  permits: 8,
  /** Maximum of one kind, so that imports and copies do not delay each other. */
  permitsPerKind: 6,
  /** The interval over which the speed of an import is measured. */
  speedIntervalMs: 1_000,
  /** An import that receives less than this in `speedIntervalMs` is slow. Others finish 512 MiB within nine minutes. */
  slowBelowBytes: 1024 * 1024,
  /** The interval at which a worker looks for jobs that other replicas added. */
  pollMs: 2_000,
  /** The interval at which a worker extends its lease and reports progress. */
  reportMs: 2_000,
  /** The longest pause of a source. */
  idleMs: 30_000,
  /** Attempts of one import. A copy is retried until its deadline. */
  maxImportAttempts: 5,
}

export interface ImportLimits {
  /** Concurrent imports of one process, including those from slow sources, which hold little more than a socket. */
  maxImports: number
  /** An import is not preempted before this. */
  graceMs: number
}

/** Each import to S3 may buffer a part of 8 MiB: 128 MiB in total. */
const MAX_IMPORTS_TO_S3 = 16

export const maxImportsFor = (driver: 'folder' | 's3', configured: number) =>
  driver === 's3' ? Math.min(configured, MAX_IMPORTS_TO_S3) : configured

/** The kinds of job that may start. `free`: the kinds with a free permit. `imports`: the number of running imports. */
export const startableKinds = (free: readonly JobKind[], imports: number, { maxImports }: ImportLimits) =>
  free.filter((kind) => kind === 'copy' || imports < maxImports)

/** Whether an import could start if a slow one were preempted. */
export const isPreemptionUseful = (free: readonly JobKind[], imports: number, { maxImports }: ImportLimits) =>
  imports >= maxImports && free.includes('import')

export interface Transfer {
  ageMs: number
  receivedBytes: number
}

export const bytesPerSecond = ({ receivedBytes, ageMs }: Transfer) => (receivedBytes / ageMs) * 1000

/** The transfer with the lowest average speed, of those that have run for `graceMs`. */
export const slowestOf = <T extends Transfer>(transfers: readonly T[], graceMs: number): T | undefined =>
  transfers.filter(({ ageMs }) => ageMs >= graceMs).toSorted((a, b) => bytesPerSecond(a) - bytesPerSecond(b))[0]

const DELAYS_MS = [2_000, 15_000, 60_000, 180_000]

/** The delay before the next attempt. */
export const delayAfter = (attempts: number) => DELAYS_MS[Math.min(attempts, DELAYS_MS.length) - 1] ?? 0

/** Why an attempt failed. A final failure is not retried. */
export class JobFailure extends Error {
  readonly reason: FileFailure
  readonly isFinal: boolean

  constructor(reason: FileFailure, { isFinal }: { isFinal: boolean }) {
    super(reason)
    this.name = 'JobFailure'
    this.reason = reason
    this.isFinal = isFinal
  }
}

interface FailedAttempt {
  kind: JobKind
  attempts: number
  isFinal: boolean
  /** The time between the next attempt and the deadline. */
  leftMs: number
}

/** Whether the file becomes FAILED instead of being retried. */
export const shouldGiveUp = ({ kind, attempts, isFinal, leftMs }: FailedAttempt) =>
  isFinal || leftMs <= 0 || (kind === 'import' && attempts >= JOB_LIMITS.maxImportAttempts)

/** The failure that a status other than 200 means. */
export function failureOfStatus(status: number): { reason: FileFailure; isFinal: boolean } | undefined {
  if (status === 200) return undefined
  if (status >= 300 && status < 400) return { reason: 'redirected', isFinal: true }
  const isTransient = status === 408 || status === 425 || status === 429 || status >= 500
  return { reason: isTransient ? 'unreachable' : 'source_refused', isFinal: !isTransient }
}

/** The progress of an attempt. */
export interface Progress {
  receivedBytes: number
  totalBytes: number | null
}

export interface Attempt {
  /** The object to create. */
  key: string
  signal: AbortSignal
  progress: Progress
}
