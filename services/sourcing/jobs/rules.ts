import type { FileFailure } from '../../../proto/http/sourcing/files.ts'

export const JOB_LIMITS = {
  /** Jobs that one process works on at once. */
  slots: 8,
  /** Of which sources of others, that may be slow, take no more than these. */
  importSlots: 6,
  /** How often somebody looks for jobs of other replicas. */
  pollMs: 2_000,
  /** How often a worker says that it is alive, and how far it is. */
  reportMs: 2_000,
  /** How long a sender may pause. */
  idleMs: 30_000,
  /** Tries of one import. A copy within our own store is tried until its time is over. */
  maxImportTries: 5,
}

const DELAYS_MS = [2_000, 15_000, 60_000, 180_000]

/** How long to wait after so many tries. */
export const delayAfter = (tries: number) => DELAYS_MS[Math.min(tries, DELAYS_MS.length) - 1] ?? 0

export interface TryOutcome {
  kind: 'copy' | 'import'
  tries: number
  /** Trying again cannot help. */
  isFinal: boolean
  /** What is left of its time when the next try would begin. */
  leftMs: number
}

export const isOver = ({ kind, tries, isFinal, leftMs }: TryOutcome) =>
  isFinal || leftMs <= 0 || (kind === 'import' && tries >= JOB_LIMITS.maxImportTries)

/** What an answer of a source means that is no success: a reason, and whether another try might help. */
export function judgeStatus(status: number): { reason: FileFailure; isFinal: boolean } | undefined {
  if (status === 200) return undefined
  if (status >= 300 && status < 400) return { reason: 'redirected', isFinal: true }
  const mayPass = status === 408 || status === 425 || status === 429 || status >= 500
  return { reason: mayPass ? 'unreachable' : 'source_refused', isFinal: !mayPass }
}
