import { Counter, Gauge, type Registry } from 'prom-client'
import type { BusLag } from './bus.ts'

/** What goes wrong with events: a consumer that gave one up. */
export function deadLetterMetrics(registry: Registry) {
  const deadLetters = new Counter({
    name: 'events_dead_lettered_total',
    help: 'Events that a consumer gave up after its tries; they stay in dead_letters.',
    labelNames: ['consumer'],
    registers: [registry],
  })
  return { onDeadLetter: ({ consumer }: { consumer: string }) => deadLetters.labels(consumer).inc() }
}

/** How far behind events are, looked up when somebody scrapes; absent while the database does not answer. */
export function lagMetrics(registry: Registry, readLag: () => Promise<BusLag>): void {
  let reading: Promise<BusLag | undefined> | undefined
  // The gauges of one scrape share one look-up.
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
  gauge('outbox_waiting_events', 'Events announced and not handed on yet, 10,000 at most.', [], (to, { outbox }) =>
    to.set(outbox.waiting),
  )
  gauge('outbox_oldest_seconds', 'Age of the oldest event that was not handed on yet.', [], (to, { outbox }) =>
    to.set(outbox.oldestMs / 1000),
  )
  gauge('consumer_lag_events', 'Events a consumer has not handled yet.', ['consumer'], (to, { consumers }) => {
    for (const [consumer, count] of Object.entries(consumers)) to.labels(consumer).set(count)
  })
  gauge('consumer_set_aside_events', 'Events put off or given up.', ['consumer', 'state'], (to, { setAside }) => {
    for (const { consumer, parked, dead } of setAside) {
      to.labels(consumer, 'parked').set(parked)
      to.labels(consumer, 'dead').set(dead)
    }
  })
}
