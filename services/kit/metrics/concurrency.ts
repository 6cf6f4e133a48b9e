import { Gauge, type Registry } from 'prom-client'

/** What a semaphore holds now. */
export interface Concurrency {
  /** Names the work, such as `uploads`. */
  work: string
  permits: number
  held: number
  waiting: number
}

/** Adds the gauges of a semaphore to those of its service. */
export type ObserveConcurrency = (semaphore: { readonly concurrency: Concurrency }) => void

/** Gauges of all semaphores of a service, read at each scrape. */
export function concurrencyMetrics(registry: Registry): ObserveConcurrency {
  const observed: Parameters<ObserveConcurrency>[0][] = []
  const gauge = (name: string, help: string, figureOf: (concurrency: Concurrency) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['work'],
      registers: [registry],
      collect() {
        for (const { concurrency } of observed) this.labels(concurrency.work).set(figureOf(concurrency))
      },
    })
  gauge('marketplace_concurrency_running', 'Work that runs.', ({ held }) => held)
  gauge('marketplace_concurrency_waiting', 'Callers that wait in the queue.', ({ waiting }) => waiting)
  gauge('marketplace_concurrency_limit', 'Work that may run at the same time.', ({ permits }) => permits)
  return (semaphore) => void observed.push(semaphore)
}
