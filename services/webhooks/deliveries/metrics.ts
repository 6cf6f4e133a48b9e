import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Pool } from '../../kit/db/client.ts'
import { measureDeliveries } from './queries.ts'

/** The result of an attempt: the class of its status, or that there was none. */
type AttemptOutcome = '2xx' | '3xx' | '4xx' | '5xx' | 'no response'

export type ObserveAttempt = (outcome: AttemptOutcome, durationMs: number) => void

export const outcomeOf = (status: number | null): AttemptOutcome =>
  status === null || status < 200 ? 'no response' : (`${Math.floor(status / 100)}xx` as AttemptOutcome)

/** Metrics of deliveries. The gauges are read at each scrape and absent while the database is unavailable. */
export function deliveryMetrics(registry: Registry, sql: Pool): ObserveAttempt {
  const attempts = new Counter({
    name: 'webhook_attempts_total',
    help: 'Attempts of deliveries by result.',
    labelNames: ['result'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'webhook_attempt_duration_seconds',
    help: 'Duration of attempts.',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15],
    registers: [registry],
  })
  let reading: ReturnType<typeof read> | undefined
  const read = () =>
    measureDeliveries(sql).then(
      ([row]) => row,
      () => undefined,
    )
  // The gauges of one scrape share one query.
  const measured = () => {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }
  const gauge = (
    name: string,
    help: string,
    figureOf: (row: NonNullable<Awaited<ReturnType<typeof read>>>) => number,
  ) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const row = await measured()
        this.reset()
        if (row) this.set(figureOf(row))
      },
    })
  gauge('webhook_due_deliveries', 'Deliveries of active endpoints that are due, at most 10,000.', ({ due }) => due)
  gauge(
    'webhook_oldest_due_seconds',
    'Age of the oldest due delivery of an active endpoint whose last attempt succeeded.',
    ({ oldest_ms: oldestMs }) => (oldestMs ?? 0) / 1000,
  )
  gauge('webhook_paused_endpoints', 'Endpoints that the marketplace paused.', ({ paused }) => paused)
  return (outcome, durationMs) => {
    attempts.labels(outcome).inc()
    durations.observe(durationMs / 1000)
  }
}
