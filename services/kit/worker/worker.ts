import type { Log } from '../log/log.ts'

/** Something that goes on beside the requests of a service until its signal says stop. */
export interface Worker {
  name: string
  run(signal: AbortSignal): Promise<void>
}

const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 10_000
/** A worker that ran this long before it failed starts again without a pause. */
const HEALTHY_AFTER_MS = 60_000

/** Runs workers until the signal, each on its own: one that fails is started again, with growing pauses. */
export async function superviseWorkers(workers: readonly Worker[], signal: AbortSignal, log: Log): Promise<void> {
  await Promise.all(workers.map((worker) => supervise(worker, signal, log)))
}

async function supervise(worker: Worker, signal: AbortSignal, log: Log): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS
  while (!signal.aborted) {
    const startedMs = performance.now()
    try {
      await worker.run(signal)
      if (!signal.aborted) log.warn({ worker: worker.name }, 'worker ended by itself; starting it again')
    } catch (error) {
      if (!signal.aborted) log.error({ worker: worker.name, err: error }, 'worker failed; starting it again')
    }
    if (performance.now() - startedMs > HEALTHY_AFTER_MS) pauseMs = FIRST_PAUSE_MS
    await pause(pauseMs, signal)
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
  }
}

/** Waits, but no longer than until the signal. */
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

/** A worker that does a bounded piece of work at each interval; an error is logged and the next interval comes. */
export const every = (
  name: string,
  intervalMs: number,
  log: Log,
  work: (signal: AbortSignal) => Promise<unknown>,
): Worker => ({
  name,
  async run(signal) {
    while (!signal.aborted) {
      await work(signal).catch((error) => log.error({ worker: name, err: error }, 'periodic work failed'))
      await pause(intervalMs, signal)
    }
  },
})
