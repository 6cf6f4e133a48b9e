import type { Registry } from 'prom-client'
import { measuredGauges } from '../../kit/metrics/gauges.ts'

type Measured = { oldest_ms: number | null } | undefined

/**
 * How long the SMTP server keeps mails waiting; one replica reads it at each scrape. Other metrics are those of jobs.
 */
export function mailMetrics(registry: Registry, measure: () => Promise<Measured>): void {
  const gauge = measuredGauges(registry, measure)
  gauge(
    'marketplace_mail_oldest_pending_seconds',
    'Age of the oldest mail that waits for the SMTP server, rather than for its recipient or the hourly limit.',
    [],
    (to, row) => {
      if (row) to.set((row.oldest_ms ?? 0) / 1000)
    },
  )
}
