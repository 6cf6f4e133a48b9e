import { Counter, Histogram, type Registry } from 'prom-client'
import type { Pool } from '../../kit/db/client.ts'
import { measuredGauges } from '../../kit/metrics/gauges.ts'
import { measureDeliveries } from './queries.ts'

/** The result of an attempt: the class of its status, or that there was none. */
type AttemptOutcome = '2xx' | '3xx' | '4xx' | '5xx' | 'no response'

/** `latencyMs`: the time from the event to the end of a first attempt that succeeded. */
export type ObserveAttempt = (outcome: AttemptOutcome, durationMs: number, latencyMs: number | undefined) => void

export const outcomeOf = (status: number | null): AttemptOutcome =>
  status === null || status < 200 ? 'no response' : (`${Math.floor(status / 100)}xx` as AttemptOutcome)

/** Metrics of deliveries. One replica reads the gauges at each scrape; they are absent while the database is. */
export function deliveryMetrics(registry: Registry, sql: Pool, isLeader: () => boolean): ObserveAttempt {
  const attempts = new Counter({
    name: 'marketplace_webhook_attempts_total',
    help: 'Attempts of deliveries by result.',
    labelNames: ['result'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'marketplace_webhook_attempt_duration_seconds',
    help: 'Duration of attempts.',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15],
    registers: [registry],
  })
  const latencies = new Histogram({
    name: 'marketplace_webhook_delivery_latency_seconds',
    help: 'Time from an event to its delivery by a first attempt, without replays and test events.',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300],
    registers: [registry],
  })
  const gauge = measuredGauges(registry, async () => (isLeader() ? (await measureDeliveries(sql))[0] : undefined))
  gauge(
    'marketplace_webhook_due_deliveries',
    'Deliveries of active endpoints that are due, at most 10,000.',
    [],
    (to, row) => {
      if (row) to.set(row.due)
    },
  )
  gauge(
    'marketplace_webhook_oldest_due_seconds',
    'Age of the oldest due delivery of an active endpoint whose last attempt succeeded.',
    [],
    (to, row) => {
      if (row) to.set((row.oldest_ms ?? 0) / 1000)
    },
  )
  gauge('marketplace_webhook_paused_endpoints', 'Endpoints paused by the marketplace.', [], (to, row) => {
    if (row) to.set(row.paused)
  })
  return (outcome, durationMs, latencyMs) => {
    attempts.labels(outcome).inc()
    durations.observe(durationMs / 1000)
    // The clock of the event may be ahead.
    if (latencyMs !== undefined) latencies.observe(Math.max(latencyMs, 0) / 1000)
  }
}
