import { measuredGauges } from '../../kit/metrics/gauges.ts'
import type { Kit } from '../../kit/service/service.ts'
import type { Worker } from '../../kit/worker/worker.ts'
import type { OrganizationConfig } from '../config.ts'
import { INVITATION_CONSUMER, invitationMailer } from './email-invitations.ts'
import { inboxMailer } from './inbox.ts'
import { MAIL_CONSUMER, mailIngest } from './ingest.ts'
import { mailJob } from './job.ts'
import { measureMails } from './queries.ts'
import { smtpServerOf } from './smtp.ts'

/** The workers of mail. Where the marketplace sends no mail, the position of its consumer is forgotten. */
export function mailWorkers({ sql, bus, jobs, box, log, now, registry }: Kit, config: OrganizationConfig): Worker[] {
  const { SMTP_URL: url, MAIL_FROM: from, MAIL_HOURLY_MAX: hourlyMax } = config
  if (url === undefined || from === undefined) return [bus.forget(MAIL_CONSUMER), bus.forget(INVITATION_CONSUMER)]
  // How long the SMTP server keeps mails waiting; one replica reads it at each scrape. Jobs have the other metrics.
  measuredGauges(registry, async () => (bus.isLeader() ? (await measureMails(sql, now()))[0] : undefined))(
    'marketplace_mail_oldest_pending_seconds',
    'Age of the oldest mail that waits for the SMTP server, rather than for its recipient or the hourly limit.',
    [],
    (gauge, row) => {
      if (row) gauge.set((row.oldest_ms ?? 0) / 1000)
    },
  )
  const limits = { hourlyMax, timeoutMs: config.MAIL_TIMEOUT_SECONDS * 1000 }
  const { PUBLIC_URL: publicUrl, CONSOLE: hasConsole } = config
  const hasRegistration = config.REGISTRATION !== 'closed'
  const sender = { from, publicUrl, hasConsole, hasRegistration, server: smtpServerOf(url) }
  const delayMs = config.MAIL_DELAY_SECONDS * 1000
  return [
    mailIngest({ bus, now, delayMs }),
    invitationMailer({ bus, box, now }),
    inboxMailer({ sql, log, now, delayMs, hour: config.INBOX_MAIL_HOUR }),
    jobs('mails', [mailJob({ sql, box, now, log, ...limits, ...sender })]),
  ]
}
