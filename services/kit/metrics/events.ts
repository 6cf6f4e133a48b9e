import { Counter, Gauge, type Registry } from 'prom-client'
import type { BusLag } from '../bus/bus.ts'

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
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] })
  const waiting = gauge('outbox_waiting_events', 'Events announced and not handed on yet, 10,000 at most.')
  const behind = gauge('consumer_lag_events', 'Events a consumer has not handled yet.', ['consumer'])
  const setAside = gauge('consumer_set_aside_events', 'Events put off or given up.', ['consumer', 'state'])
  new Gauge({
    name: 'outbox_oldest_seconds',
    help: 'Age of the oldest event that was not handed on yet.',
    registers: [registry],
    async collect() {
      for (const one of [this, waiting, behind, setAside]) one.reset()
      const lag = await readLag().catch(() => undefined)
      if (!lag) return
      this.set(lag.outbox.oldestMs / 1000)
      waiting.set(lag.outbox.waiting)
      for (const [consumer, count] of Object.entries(lag.consumers)) behind.labels(consumer).set(count)
      for (const { consumer, parked, dead } of lag.setAside) {
        setAside.labels(consumer, 'parked').set(parked)
        setAside.labels(consumer, 'dead').set(dead)
      }
    },
  })
}
