import { Counter, type Registry } from 'prom-client'

/** What goes wrong with events: a consumer that gave one up. */
export function eventMetrics(registry: Registry) {
  const deadLetters = new Counter({
    name: 'events_dead_lettered_total',
    help: 'Events that a consumer gave up after its tries; they stay in dead_letters.',
    labelNames: ['consumer'],
    registers: [registry],
  })
  return { onDeadLetter: ({ consumer }: { consumer: string }) => deadLetters.labels(consumer).inc() }
}
