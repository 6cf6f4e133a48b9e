import { isDependencyFailure } from '../db/failures.ts'
import type { Log, MessageLog } from '../log/log.ts'

/** A background task of a service. It runs until its signal aborts. */
export interface Worker {
  name: string
  /**
   * Whether it claims work: it claims none once `closing` aborts, and ends with the work that runs, at the latest when
   * its signal aborts.
   */
  claims?: true
  run(signal: AbortSignal, closing?: AbortSignal): Promise<void>
}

const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 10_000
/** A worker that ran this long before it failed restarts with the shortest pause. */
const HEALTHY_AFTER_MS = 60_000

/**
 * Runs workers until the signal aborts, those that claim work until `closing` aborts. A worker that fails is restarted
 * with growing pauses.
 */
export async function superviseWorkers(
  workers: readonly Worker[],
  signal: AbortSignal,
  log: MessageLog,
  closing = signal,
): Promise<void> {
  await Promise.all(workers.map((worker) => supervise(worker, signal, worker.claims ? closing : signal, log)))
}

async function supervise(worker: Worker, signal: AbortSignal, closing: AbortSignal, log: MessageLog): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS
  while (!closing.aborted) {
    const startedMs = performance.now()
    try {
      await worker.run(signal, closing)
      if (!closing.aborted) log.warn({ worker: worker.name }, 'worker ended unexpectedly; restarting it')
    } catch (error) {
      if (!closing.aborted) log[levelOf(error)]({ worker: worker.name, err: error }, 'worker failed; restarting it')
    }
    if (performance.now() - startedMs > HEALTHY_AFTER_MS) pauseMs = FIRST_PAUSE_MS
    await pause(pauseMs, closing)
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }
}

/** The log level of an error. An outage of a dependency is a warning, because it is no defect of the service. */
export const levelOf = (error: unknown) => (isDependencyFailure(error) ? 'warn' : 'error')

/** Waits until the signal aborts. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Waits until the time has passed or the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}

/** A worker that runs a bounded task at an interval. An error is logged, and the next interval tries again. */
export const every = (
  name: string,
  intervalMs: number,
  log: Log,
  work: (signal: AbortSignal) => Promise<unknown>,
): Worker => ({
  name,
  async run(signal) {
    while (!signal.aborted) {
      await work(signal).catch((error) => log[levelOf(error)]({ worker: name, err: error }, 'periodic work failed'))
      await pause(intervalMs, signal)
    }
  },
})
