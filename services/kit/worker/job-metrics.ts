import { Counter, type Registry } from 'prom-client'
import type { Pool } from '../db/client.ts'
import { measuredGauges } from '../metrics/gauges.ts'
import { measureJobs } from './job-queries.ts'
import type { ObserveJob } from './jobs.ts'

interface MeasuredJobs {
  sql: Pool
  now: () => string
  /** Whether this replica reports what all replicas share. */
  isLeader: () => boolean
}

/** Metrics of all jobs of a service, by kind. The gauges are absent while the database is. */
export function jobMetrics(registry: Registry, { sql, now, isLeader }: MeasuredJobs) {
  const kinds: string[] = []
  const attempts = new Counter({
    name: 'marketplace_jobs_total',
    help: 'Attempts that ended a job, are repeated or were the last.',
    labelNames: ['kind', 'result'],
    registers: [registry],
  })
  const gauge = measuredGauges(registry, async () =>
    kinds.length > 0 && isLeader() ? await measureJobs(sql, kinds, now()) : undefined,
  )
  gauge('marketplace_jobs_queued', 'Jobs that wait or run, at most 10,000 of a kind.', ['kind'], (to, rows) => {
    for (const { kind, queued } of rows ?? []) to.labels(kind).set(queued)
  })
  gauge('marketplace_jobs_oldest_seconds', 'Time for which the oldest due job waits.', ['kind'], (to, rows) => {
    for (const { kind, oldest_ms } of rows ?? []) to.labels(kind).set((oldest_ms ?? 0) / 1000)
  })
  const observe: ObserveJob = (kind, result) => attempts.labels(kind, result).inc()
  return { observe, add: (...added: string[]) => void kinds.push(...added) }
}
