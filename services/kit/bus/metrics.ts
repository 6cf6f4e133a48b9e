import { Counter, Gauge, type Registry } from 'prom-client'
import { clear } from '../metrics/gauges.ts'
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
 * Gauges of the bus, read at each scrape. They are absent while the database is unavailable. One replica reports what all
 * share.
 */
export function lagMetrics(registry: Registry, readLag: () => Promise<BusLag>): void {
  let reading: Promise<BusLag | undefined> | undefined
  // The gauges of one scrape share one query.
  const read = () => {
    reading ??= readLag()
      .catch(() => undefined)
      .finally(() => {
        reading = undefined
      })
    return reading
  }
  const gauge = (name: string, help: string, labelNames: string[], fill: (gauge: Gauge<string>, lag: BusLag) => void) =>
    new Gauge<string>({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const lag = await read()
        clear(this)
        if (lag) fill(this, lag)
      },
    })
  gauge('marketplace_outbox_waiting_events', 'Unpublished events, at most 10,000.', [], (to, { outbox }) => {
    if (outbox) to.set(outbox.waiting)
  })
  gauge('marketplace_outbox_oldest_seconds', 'Age of the oldest unpublished event.', [], (to, { outbox }) => {
    if (outbox) to.set(outbox.oldestMs / 1000)
  })
  gauge('marketplace_consumer_lag_events', 'Unprocessed events of a consumer.', ['consumer'], (to, { consumers }) => {
    for (const [consumer, count] of Object.entries(consumers)) to.labels(consumer).set(count)
  })
  gauge(
    'marketplace_consumer_failed_events',
    'Events queued for a retry, and dead letters.',
    ['consumer', 'state'],
    (to, { consumers, retries }) => {
      if (!retries) return
      for (const consumer of Object.keys(consumers)) {
        for (const state of ['retrying', 'dead']) to.labels(consumer, state).set(0)
      }
      for (const { consumer, retrying, dead } of retries) {
        to.labels(consumer, 'retrying').set(retrying)
        to.labels(consumer, 'dead').set(dead)
      }
    },
  )
}
