import { Histogram, type Registry } from 'prom-client'

export interface RequestMetrics {
  /** The function to which one operation reports its responses. */
  observer(operation: string): (status: number, seconds: number) => void
}

/** Observations are batched, because observing each one alone costs a tenth of a read. */
const BATCH_SIZE = 512

/** Rate, errors and duration of requests, by operation and status. */
export function requestMetrics(registry: Registry): RequestMetrics {
  const all: Series[] = []
  const duration = new Histogram({
    name: 'marketplace_http_request_duration_seconds',
    help: 'Time from the start of a request until its response.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
    collect() {
      for (const series of all) series.drain()
    },
  })
  return {
    observer(operation) {
      const byStatus = new Map<number, Series>()
      return (status, seconds) => {
        let series = byStatus.get(status)
        if (!series) {
          series = new Series(duration.labels(operation, String(status)))
          byStatus.set(status, series)
          all.push(series)
        }
        series.add(seconds)
      }
    },
  }
}

class Series {
  readonly #child: { observe(seconds: number): void }
  readonly #waiting = new Float64Array(BATCH_SIZE)
  #length = 0

  constructor(child: { observe(seconds: number): void }) {
    this.#child = child
  }

  add(seconds: number): void {
    this.#waiting[this.#length++] = seconds
    if (this.#length === BATCH_SIZE) this.drain()
  }

  drain(): void {
    for (let at = 0; at < this.#length; at++) this.#child.observe(this.#waiting[at] as number)
    this.#length = 0
  }
}
