import { DAY_MS, MINUTE_MS, pauseOf } from '../../../../proto/durations.ts'
import type { FileFailure } from '../../../../proto/http/sourcing/files.ts'

/** A job that copies an upload: its object, and the object's etag when the upload was added. */
export const COPY = 'file-copy'
export interface CopyData {
  sourceKey: string
  sourceEtag: string
}

/** A job that imports a file. The URL is a secret. */
export const IMPORT = 'file-import'
export interface ImportData {
  encryptedUrl: string
}

export const JOB_LIMITS = {
  /** Concurrent copies of one process. */
  maxCopies: 6,
  /** Concurrent jobs of one kind and organization, on all replicas together. */
  maxJobsPerTenant: 2,
  /** The longest pause of a source. */
  idleMs: 30_000,
  /** Attempts of one import. A copy is retried until its deadline. */
  maxImportAttempts: 5,
  /** The time from the creation of a job to its deadline. A copy may wait until our own store recovers. */
  copyLifetimeMs: DAY_MS,
  importLifetimeMs: 30 * MINUTE_MS,
}

/** Each import to S3 may buffer a part of 8 MiB: 128 MiB in total. */
const MAX_IMPORTS_TO_S3 = 16

export const maxImportsFor = (driver: 'folder' | 's3', configured: number) =>
  driver === 's3' ? Math.min(configured, MAX_IMPORTS_TO_S3) : configured

const DELAYS_MS = [2_000, 15_000, 60_000, 180_000]

/** The delay before the next attempt. */
export const delayAfter = (attempts: number): number => pauseOf(DELAYS_MS, attempts)

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
