import { Histogram, type Registry } from 'prom-client'

export interface RequestMetrics {
  /** What one operation reports its answers to. */
  observer(operation: string): (status: number, seconds: number) => void
}

/** Rate, errors and duration of requests by operation and status. */
export function requestMetrics(registry: Registry): RequestMetrics {
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a routed request to its answer.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  return {
    observer(operation) {
      const byStatus = new Map<number, { observe(seconds: number): void }>()
      return (status, seconds) => {
        let child = byStatus.get(status)
        if (!child) {
          child = duration.labels(operation, String(status))
          byStatus.set(status, child)
        }
        child.observe(seconds)
      }
    },
  }
}
