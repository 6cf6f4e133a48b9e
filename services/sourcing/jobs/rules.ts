import type { FileFailure } from '../../../proto/http/sourcing/files.ts'

export const JOB_LIMITS = {
  /** Jobs that keep one process busy at once. */
  slots: 8,
  /** Of which imports take no more than these. */
  importSlots: 6,
  /**
   * What a source sends in so long tells whether it is slow: less than 1 MiB in a second. One that is not is done within
   * nine minutes, for a file may have 512 MiB.
   */
  paceMs: 1_000,
  slowBelowBytes: 1024 * 1024,
  /** How often somebody looks for jobs of other replicas. */
  pollMs: 2_000,
  /** How often a worker says that it is alive, and how far it is. */
  reportMs: 2_000,
  /** How long a sender may pause. */
  idleMs: 30_000,
  /** Tries of one import. A copy within our own store is tried until its time is over. */
  maxImportTries: 5,
}

export interface Load {
  copies: number
  /** Imports whose bytes keep coming, and those that have just begun. */
  busyImports: number
  slowImports: number
}

/** How imports share a process. */
export interface ImportShares {
  /** Imports at once, those that wait for a slow source and cost hardly more than a socket included. */
  maxImports: number
  /** How long the slowest has its place when others wait. */
  graceMs: number
}

/** On its way to S3 each may hold a part of 8 MiB in memory: no more than 128 MiB together. */
const IMPORTS_TO_S3 = 16

/** How many imports a process fetches at once, of those that its configuration allows. */
export const importsAtOnce = (allowed: number, { driver }: { driver: 'folder' | 's3' }) =>
  driver === 's3' ? Math.min(allowed, IMPORTS_TO_S3) : allowed

/** Which jobs there is room for. Slow sources, whoever's, take no place from others until there are too many of them. */
export function kindsWithRoom({ copies, busyImports, slowImports }: Load, maxImports: number): ('copy' | 'import')[] {
  const { slots, importSlots } = JOB_LIMITS
  const isFree = copies + busyImports < slots
  const forImport = isFree && busyImports < importSlots && busyImports + slowImports < maxImports
  // Imports that were slow and are so no more must not take the places that are kept for copies.
  const forCopy = isFree || copies < slots - importSlots
  return [...(forCopy ? (['copy'] as const) : []), ...(forImport ? (['import'] as const) : [])]
}

/** Whether an import could begin if a slow one made room. */
export const wouldHaveRoom = (load: Load, maxImports: number) =>
  load.busyImports + load.slowImports >= maxImports &&
  kindsWithRoom({ ...load, slowImports: maxImports - 1 - load.busyImports }, maxImports).includes('import')

/** How an import has used its place. */
export interface Standing {
  isSlow: boolean
  heldMs: number
  receivedBytes: number
}

/** Who gives way to others: of the imports that are slow and had their time, the slowest on the whole. */
export function slowestOf<S extends Standing>(standings: readonly S[], { graceMs }: ImportShares): S | undefined {
  return standings
    .filter(({ isSlow, heldMs }) => isSlow && heldMs >= graceMs)
    .toSorted((a, b) => bytesInASecond(a) - bytesInASecond(b))[0]
}

/** On the whole, since the place is held. */
export const bytesInASecond = ({ receivedBytes, heldMs }: Pick<Standing, 'receivedBytes' | 'heldMs'>) =>
  (receivedBytes / heldMs) * 1000

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
