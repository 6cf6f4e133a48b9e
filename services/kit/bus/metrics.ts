import { Counter, Gauge, type Registry } from 'prom-client'
import { measuredGauges } from '../metrics/gauges.ts'
import type { BusLag } from './bus.ts'

/** Counts dead letters. */
export function deadLetterMetrics(registry: Registry) {
  const deadLetters = new Counter({
    name: 'marketplace_events_dead_lettered_total',
    help: 'Events moved to dead_letters after the last attempt.',
    labelNames: ['consumer'],
    registers: [registry],
  })
  return { onDeadLetter: ({ consumer }: { consumer: string }) => deadLetters.labels(consumer).inc() }
}

/** Whether this process is connected to NATS. */
export function natsMetrics(registry: Registry, isConnected: () => boolean): void {
  new Gauge({
    name: 'marketplace_nats_up',
    help: 'Whether NATS is connected.',
    registers: [registry],
    collect() {
      this.set(isConnected() ? 1 : 0)
    },
  })
}

/**
 * Gauges of the bus, read at each scrape. They are absent while the database is unavailable. Only one replica reports
 * the values that all replicas share.
 */
export function lagMetrics(registry: Registry, readLag: () => Promise<BusLag>): void {
  const gauge = measuredGauges(registry, readLag)
  gauge('marketplace_outbox_waiting_events', 'Unpublished events, at most 10,000.', [], (to, lag) => {
    if (lag?.outbox) to.set(lag.outbox.waiting)
  })
  gauge('marketplace_outbox_oldest_seconds', 'Age of the oldest unpublished event.', [], (to, lag) => {
    if (lag?.outbox) to.set(lag.outbox.oldestMs / 1000)
  })
  gauge('marketplace_consumer_lag_events', 'Unprocessed events of a consumer.', ['consumer'], (to, lag) => {
    for (const [consumer, count] of Object.entries(lag?.consumers ?? {})) to.labels(consumer).set(count)
  })
  gauge(
    'marketplace_consumer_failed_events',
    'Events queued for a retry, and dead letters.',
    ['consumer', 'state'],
    (to, lag) => {
      if (!lag?.retries) return
      for (const consumer of Object.keys(lag.consumers)) {
        for (const state of ['retrying', 'dead']) to.labels(consumer, state).set(0)
      }
      for (const { consumer, retrying, dead } of lag.retries) {
        to.labels(consumer, 'retrying').set(retrying)
        to.labels(consumer, 'dead').set(dead)
      }
    },
  )
}
