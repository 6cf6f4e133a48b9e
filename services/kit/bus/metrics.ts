import { Counter, Gauge, type Registry } from 'prom-client'
import type { BusLag } from './bus.ts'

/** Counts dead letters. */
export function deadLetterMetrics(registry: Registry) {
  const deadLetters = new Counter({
    name: 'events_dead_lettered_total',
    help: 'Events moved to dead_letters after the last attempt.',
    labelNames: ['consumer'],
    registers: [registry],
  })
  return { onDeadLetter: ({ consumer }: { consumer: string }) => deadLetters.labels(consumer).inc() }
}

/** Gauges of the bus, read at each scrape. They are absent while the database is unavailable. */
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
        this.reset()
        if (lag) fill(this, lag)
      },
    })
  gauge('outbox_waiting_events', 'Unpublished events, at most 10,000.', [], (to, { outbox }) => to.set(outbox.waiting))
  gauge('outbox_oldest_seconds', 'Age of the oldest unpublished event.', [], (to, { outbox }) =>
    to.set(outbox.oldestMs / 1000),
  )
  gauge('consumer_lag_events', 'Unprocessed events of a consumer.', ['consumer'], (to, { consumers }) => {
    for (const [consumer, count] of Object.entries(consumers)) to.labels(consumer).set(count)
  })
  gauge(
    'consumer_failed_events',
    'Events queued for a retry, and dead letters.',
    ['consumer', 'state'],
    (to, { consumers, retries }) => {
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
