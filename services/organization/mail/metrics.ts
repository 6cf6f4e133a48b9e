import { Counter, type Registry } from 'prom-client'
import { measuredGauges } from '../../kit/metrics/gauges.ts'

export type ObserveMail = (result: 'sent' | 'retried' | 'failed') => void

type Measured = { pending: number; oldest_ms: number | null } | undefined

/** Metrics of mails. One replica reads the gauges at each scrape. */
export function mailMetrics(registry: Registry, measure: () => Promise<Measured>): ObserveMail {
  const mails = new Counter({
    name: 'marketplace_mails_total',
    help: 'Attempts to send a mail, by result.',
    labelNames: ['result'],
    registers: [registry],
  })
  const gauge = measuredGauges(registry, measure)
  gauge('marketplace_mail_pending', 'Queued mails, at most 10,000.', [], (to, row) => {
    if (row) to.set(row.pending)
  })
  gauge(
    'marketplace_mail_oldest_pending_seconds',
    'Age of the oldest mail that waits for the SMTP server, rather than for its recipient or the hourly limit.',
    [],
    (to, row) => {
      if (row) to.set((row.oldest_ms ?? 0) / 1000)
    },
  )
  return (result) => mails.labels(result).inc()
}
